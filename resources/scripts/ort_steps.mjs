// Writes what ONNX Runtime's optimisers make of a model, one file for each that changes something, as a pipeline for
//
//   lemmascope-cli check FOLDER        or        lemmascope FOLDER
//
//   node ort_steps.mjs MODEL.onnx FOLDER [--level basic|extended|layout|all] [--modules DIR]
//
// 0-reference.onnx is the model as it is, 1-loaded.onnx what reading and writing it makes of it with every optimiser off; then step k
// has the optimisers 1 to k on, in the order in which ONNX Runtime runs them, so that two files in a row differ by one optimiser. The
// order is read from its verbose log; the rules inside the rule-based transformers, which it does not log, are listed below.
//
// Needs Node.js 18 and onnxruntime-node (1.30.0 was tried): npm install --ignore-scripts onnxruntime-node, in the folder where this is
// run or in DIR. FOLDER is made, and must hold no graphs yet. Exit status: 0; 1 when the model does not load after some optimiser
// (which is then named, and left out of the later steps); 64 usage, 65 a model that does not load at all, 66 no such file,
// 69 onnxruntime-node is missing, 70 anything else.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const RULES = {
  Level1_RuleBasedTransformer: [
    'EliminateIdentity', 'EliminateSlice', 'UnsqueezeElimination', 'EliminateDropout', 'ExpandElimination', 'CastElimination',
    'PreShapeNodeElimination', 'NoopElimination', 'DivMulFusion', 'FuseReluClip', 'GemmSumFusion', 'GemmTransposeFusion', 'NotWhereFusion',
    'ConvAddFusion', 'ConvMulFusion', 'ConvBNFusion', 'Pad_Fusion', 'MatMul_BatchNormalization_Fusion', 'LabelEncoderFusion',
  ],
  Level2_RuleBasedTransformer: ['ClipQuantRewrite', 'ReluQuantRewrite'],
};

function quit(status, text) {
  process.stderr.write(`ort_steps: ${text}\n`);
  process.exit(status);
}

function loadRuntime(modules) {
  try {
    return createRequire(join(resolve(modules), 'package.json'))('onnxruntime-node');
  } catch {
    return quit(69, `onnxruntime-node is not installed in ${resolve(modules)}: npm install --ignore-scripts onnxruntime-node@1.30.0`);
  }
}

/// Reads `model` with the optimisers of a level but for those named, and writes what came of it.
async function optimise(ort, model, out, level, disabled, severity) {
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: level, optimizedModelFilePath: out, executionProviders: ['cpu'], intraOpNumThreads: 1, logSeverityLevel: severity,
    extra: { optimization: { disable_specified_optimizers: disabled.join(';') } },
  });
  await session.release();
}

const text = (error) => String(error.message ?? error).replace(/\s+/g, ' ').trim();

const words = process.argv.slice(2);
if (words[0] === '--log') { // this script starts itself so: the native library logs to the process, not to us
  const [, modules, model, level, out] = words;
  const ort = loadRuntime(modules);
  ort.env.logLevel = 'verbose';
  try {
    await optimise(ort, model, out, level, [], 0);
  } catch (error) {
    process.stderr.write(`\nfailed: ${text(error)}\n`);
  }
  process.exit(0);
}

let level = 'extended';
let modules = '.';
const places = [];
for (let i = 0; i < words.length; ++i) {
  if (words[i] === '--level' || words[i] === '--modules') {
    if (i + 1 >= words.length) quit(64, `${words[i]} needs a value`);
    if (words[i] === '--level') level = words[i + 1]; else modules = words[i + 1];
    ++i;
  } else if (words[i].startsWith('-')) {
    quit(64, `unknown option ${words[i]}; usage: node ort_steps.mjs MODEL.onnx FOLDER [--level LEVEL] [--modules DIR]`);
  } else {
    places.push(resolve(words[i]));
  }
}
if (places.length !== 2 || !['basic', 'extended', 'layout', 'all'].includes(level)) {
  quit(64, 'usage: node ort_steps.mjs MODEL.onnx FOLDER [--level basic|extended|layout|all] [--modules DIR]');
}
const [model, folder] = places;
if (!existsSync(model)) quit(66, `${model}: no such file`);
const ort = loadRuntime(modules);
mkdirSync(folder, { recursive: true });
if (readdirSync(folder).some((name) => /\.(onnx|lsg\.json|mlir|mlirbc)$/.test(name))) {
  quit(64, `${folder}: holds graphs already; they would be taken for steps`);
}

const scratch = mkdtempSync(join(tmpdir(), 'ort-steps-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

// Which optimisers, in which order.
const logged = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--log', resolve(modules), model, level, join(scratch, 'all.onnx')],
  { encoding: 'latin1', maxBuffer: 1 << 30 });
if (logged.error) quit(70, `cannot start node: ${logged.error.message}`);
const names = [];
for (const found of `${logged.stdout}${logged.stderr}`.matchAll(/GraphTransformer (\S+) modified: [01]/g)) {
  if (!names.includes(found[1])) names.push(found[1]);
}
const optimisers = names.flatMap((name) => RULES[name] ?? [name]);

let previous = join(folder, '0-reference.onnx');
copyFileSync(model, previous);
const loaded = join(scratch, 'step.onnx');
try {
  await optimise(ort, model, loaded, level, optimisers, 4);
} catch (error) {
  quit(65, `${model}: does not load with every optimiser off: ${text(error)}`);
}
let count = 0;
function keep(name) {
  const bytes = readFileSync(loaded);
  if (bytes.equals(readFileSync(previous))) {
    rmSync(loaded);
    return;
  }
  ++count;
  previous = join(folder, `${count}-${name.replace(/[^A-Za-z0-9_.-]/g, '_')}.onnx`);
  try {
    renameSync(loaded, previous);
  } catch {
    copyFileSync(loaded, previous); // another file system
    rmSync(loaded);
  }
  process.stdout.write(`${previous}\n`);
}
process.stdout.write(`${previous}\n`);
keep('loaded');
const broken = [];
for (let k = 0; k < optimisers.length; ++k) {
  const disabled = [...optimisers.slice(k + 1), ...broken];
  try {
    await optimise(ort, model, loaded, level, disabled, 4);
  } catch (error) {
    broken.push(optimisers[k]);
    process.stderr.write(`ort_steps: after ${optimisers[k]} the model does not load any more: ${text(error)}\n`);
    continue;
  }
  keep(optimisers[k]);
}
if (names.length === 0) quit(70, `no optimiser was found in ONNX Runtime's log${logged.stderr.includes('failed:') ? ': ' + logged.stderr.split('failed:')[1].trim() : ''}`);
process.stdout.write(`${count} steps of ${optimisers.length} optimisers at level ${level}\n`);
process.exit(broken.length > 0 ? 1 : 0);
