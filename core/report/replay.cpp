#include "core/report/replay.h"

#include "core/report/json_writer.h"

#include <algorithm>

namespace lemmascope {

namespace {

std::string commentLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
    return text;
}

constexpr const char* RuntimeScript = R"js(
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
let ort;
try {
  ort = await import('onnxruntime-node');
} catch {
  try {
    ort = createRequire(join(process.cwd(), 'package.json'))('onnxruntime-node');
  } catch {
    console.error('onnxruntime-node is missing: run  npm install --ignore-scripts onnxruntime-node  in this folder or where you stand');
    process.exit(69);
  }
}
const { InferenceSession, Tensor } = ort.default ?? ort;

const kinds = {
  '<f4': ['float32', Float32Array], '<f8': ['float64', Float64Array], '<f2': ['float16', Uint16Array],
  '|b1': ['bool', Uint8Array], '|i1': ['int8', Int8Array], '|u1': ['uint8', Uint8Array], '<i2': ['int16', Int16Array],
  '<u2': ['uint16', Uint16Array], '<i4': ['int32', Int32Array], '<u4': ['uint32', Uint32Array],
  '<i8': ['int64', BigInt64Array], '<u8': ['uint64', BigUint64Array],
};

function readNpy(file) {
  const bytes = readFileSync(file);
  const long = bytes[6] >= 2;
  const length = long ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8);
  const begin = long ? 12 : 10;
  const header = bytes.subarray(begin, begin + length).toString('latin1');
  const descr = /'descr':\s*'([^']+)'/.exec(header)[1];
  const dims = /'shape':\s*\(([^)]*)\)/.exec(header)[1].split(',').map((s) => s.trim()).filter(Boolean).map(Number);
  const [type, Form] = kinds[descr];
  const data = bytes.subarray(begin + length);
  const copy = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  return new Tensor(type, new Form(copy), dims);
}

// Where the verdict needs no input (types differ), some input has to be made up: 1, 2, 3, ... of the declared shape.
function madeUp(input) {
  const dims = input.shape.map((length) => (typeof length === 'number' && length >= 0 ? length : 2));
  const found = Object.values(kinds).find(([type]) => type === input.type);
  if (!found) throw new Error(`no values can be made up for input ${input.name} of type ${input.type}`);
  const data = new found[1](dims.reduce((product, length) => product * length, 1));
  const big = typeof data[0] === 'bigint';
  for (let i = 0; i < data.length; ++i) data[i] = input.type === 'float16' ? 0x3c00 : big ? BigInt(i + 1) : input.type === 'bool' ? 1 : i + 1;
  console.log(`${input.name}: no value was recorded, 1, 2, 3, ... is taken`);
  return new Tensor(input.type, data, dims);
}

async function run(model) {
  const session = await InferenceSession.create(join(here, model), { graphOptimizationLevel: 'disabled' });
  const feeds = {};
  models[model].inputs.forEach((place, i) => {
    if (place >= 0 && place < session.inputNames.length) feeds[session.inputNames[place]] = readNpy(join(here, 'inputs', inputs[i]));
  });
  for (const input of session.inputMetadata ?? []) {
    if (!(input.name in feeds)) feeds[input.name] = madeUp(input);
  }
  models[model].name = session.outputNames[models[model].output];
  return session.run(feeds);
}

const text = (value) => (Object.is(value, -0) ? '-0' : String(value));
const show = (tensor) => `${tensor.type}[${tensor.dims}] ${Array.from(tensor.data.slice(0, 64), text).join(', ')}${tensor.data.length > 64 ? ', ...' : ''}`;
const results = {};
for (const model of Object.keys(models)) {
  try {
    results[model] = await run(model);
    for (const [name, tensor] of Object.entries(results[model])) console.log(`${model} ${name}: ${show(tensor)}`);
  } catch (error) {
    console.log(`${model}: ONNX Runtime fails: ${error.message}`);
  }
}
for (const [model, values] of Object.entries(results)) {
  const output = models[model].name;
  const tensor = values[output];
  if (!tensor || tensor.dims.length !== index.length || index.some((at, axis) => at >= tensor.dims[axis])) continue;
  const flat = index.reduce((sum, i, axis) => sum * tensor.dims[axis] + i, 0);
  console.log(`${model} ${output}[${index}] = ${text(tensor.data[flat])}`);
}
)js";

} // namespace

std::string shellWord(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '/' ||
               c == '=' || c == ':' || c == ',';
    });
    if (plain) {
        return text;
    }
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return out + "'";
}

std::string replayShell(const ReplayPlan& plan) {
    std::string out =
        "#!/bin/sh\n# Replays: " + commentLine(plan.verdictLine) + "\n# Exit status as lemmascope-cli check: 0 proved, 1 refuted, 2 otherwise.\n";
    out += "cd \"$(dirname \"$0\")\" || exit 66\ntool=${LEMMASCOPE_CLI:-lemmascope-cli}\n";
    std::string inputs;
    for (const auto& [name, file] : plan.inputs) {
        inputs += " --input " + shellWord(name + "=inputs/" + file);
    }
    if (!inputs.empty()) {
        for (const char* graph : {"reference", "rewritten"}) {
            out += std::string("echo \"") + graph + ":\"\n\"$tool\" eval " + graph + ".lsg.json" + inputs + "\n";
        }
    }
    return out + "\"$tool\" check reference.lsg.json rewritten.lsg.json" + plan.options + " \"$@\"\n";
}

std::string replayOnnxRuntime(const ReplayPlan& plan) {
    JsonWriter inputs;
    inputs.beginArray(JsonWriter::Layout::InLine);
    for (const auto& input : plan.inputs) {
        inputs.string(input.second);
    }
    inputs.endArray();
    JsonWriter models;
    models.beginObject();
    for (const auto& [file, places] : {std::pair{"reference.onnx", &plan.reference}, std::pair{"rewritten.onnx", &plan.rewritten}}) {
        models.key(file);
        models.beginObject(JsonWriter::Layout::InLine);
        models.key("inputs");
        models.beginArray(JsonWriter::Layout::InLine);
        for (const std::int64_t place : places->inputs) {
            models.integer(place);
        }
        models.endArray();
        models.key("output");
        models.integer(places->output);
        models.endObject();
    }
    models.endObject();
    JsonWriter index;
    index.beginArray(JsonWriter::Layout::InLine);
    for (const std::int64_t at : plan.index) {
        index.integer(at);
    }
    index.endArray();
    return "// Replays on ONNX Runtime: " + commentLine(plan.verdictLine) +
           "\n// Run with Node.js: npm install onnxruntime-node && node replay_ort.mjs\n" + "const inputs = " + inputs.text() +
           ";\n// Places among each file's inputs and outputs: ONNX may need other names than the JSON files.\nconst models = " + models.text() +
           ";\nconst index = " + index.text() + ";\n" + RuntimeScript;
}

} // namespace lemmascope
