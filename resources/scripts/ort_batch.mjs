// Runs many small ONNX models on ONNX Runtime (CPU, optimiser off) in one process.
//
//   node ort_batch.mjs MODULES BATCH
//
// MODULES holds node_modules with onnxruntime-node. BATCH holds manifest.json and data.bin and gets results.json and results.bin:
//   manifest.json: [{ "model": SPAN, "inputs": [{ "name", "type", "dims", "data": SPAN }] }], SPAN = [offset, length] in data.bin
//   results.json:  [{ "outputs": [{ "name", "type", "dims", "data": SPAN }] } or { "error": text }], spans in results.bin
// Types are those of onnxruntime-node (float32, int64, ...); data is little-endian, bool one byte.
// Exit status: 0; 64 usage.

import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

if (process.argv.length !== 4) {
  process.stderr.write('usage: node ort_batch.mjs MODULES BATCH\n');
  process.exit(64);
}
const [modules, batch] = process.argv.slice(2).map((path) => resolve(path));
const ort = createRequire(join(modules, 'package.json'))('onnxruntime-node');

const arrays = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array,
  uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array,
};
const options = { graphOptimizationLevel: 'disabled', executionProviders: ['cpu'], intraOpNumThreads: 1, logSeverityLevel: 4 };

const manifest = JSON.parse(readFileSync(join(batch, 'manifest.json'), 'utf8'));
const data = readFileSync(join(batch, 'data.bin'));
// A slice of its own, so that typed arrays are aligned.
const bytesOf = ([offset, length]) => new Uint8Array(data.subarray(offset, offset + length));

const chunks = [];
let written = 0;
function store(tensor) {
  const bytes = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  chunks.push(Buffer.from(bytes));
  written += bytes.length;
  return [written - bytes.length, bytes.length];
}

const results = [];
for (const entry of manifest) {
  let session = null;
  try {
    session = await ort.InferenceSession.create(bytesOf(entry.model), options);
    const feeds = {};
    for (const input of entry.inputs) {
      const Type = arrays[input.type];
      feeds[input.name] = new ort.Tensor(input.type, new Type(bytesOf(input.data).buffer), input.dims);
    }
    const run = await session.run(feeds);
    const outputs = session.outputNames.map((name) => {
      const tensor = run[name];
      if (!(tensor.type in arrays)) {
        throw new Error(`NOT_IMPLEMENTED: results of type ${tensor.type} are not carried`);
      }
      return { name, type: tensor.type, dims: tensor.dims.map(Number), data: store(tensor) };
    });
    results.push({ outputs });
  } catch (error) {
    results.push({ error: String(error.message ?? error) });
  }
  await session?.release();
}
writeFileSync(join(batch, 'results.bin'), Buffer.concat(chunks));
writeFileSync(join(batch, 'results.json'), JSON.stringify(results));
