// The kernels of tests/data/kernels: their text at a size, what mlir-opt makes of it, and a run by the machine's own instructions
// (mlir-cpu-runner), which says independently of Lemmascope whether mlir-opt made something else of it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const sizeNames = ['small', 'medium', 'large'];
const folder = 'tests/data/kernels';

function rows(file) {
    const [head, ...lines] = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
    return lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]])));
}

/** [{name, options, what it does}] */
export const optionSets = () => rows('options.tsv');
/** [{kernel, options, why}]: what mlir-opt makes of these kernels is not the same program. */
export const wrongOnes = () => rows('wrong.tsv');

export function kernels() {
    return readdirSync(folder)
        .filter((file) => file.endsWith('.mlir'))
        .sort()
        .map((file) => {
            const text = readFileSync(join(folder, file), 'utf8');
            return { name: file.slice(0, -5), text, what: text.split('\n', 1)[0].slice(3) };
        });
}

/** The text with `$N` and `$(N-1)` replaced by the numbers of a size (0: small, 1: medium, 2: large). */
export function atSize(text, size) {
    const value = {};
    for (const part of text.match(/^\/\/ sizes: (.*)$/m)[1].split(',')) {
        const [name, ...numbers] = part.trim().split(/\s+/);
        value[name] = Number(numbers[size]);
    }
    return text
        .replace(/\$\(([A-Z])([+-]\d+)\)/g, (_, name, more) => String(value[name] + Number(more)))
        .replace(/\$([A-Z])/g, (_, name) => String(value[name]));
}

/** Writes the kernel of a size to `file`; returns its text. */
export function writeKernel(kernel, size, file) {
    const text = atSize(kernel.text, size);
    writeFileSync(file, text);
    return text;
}

/** A program of that many ops, one after the other: loads, sums and products, stores, and a small loop nest now and then. */
export function longProgram(ops) {
    const lines = ['func.func @kernel(%A: memref<64xf64>, %B: memref<64xf64>, %C: memref<8x8xf64>) {'];
    const positions = 64;
    for (let i = 0; i < positions; i += 1) {
        lines.push(`  %c${i} = arith.constant ${i} : index`);
    }
    let made = positions + 2; // the function and its return
    for (let n = 0; made < ops; n += 1) {
        if (n % 10 === 9 && made + 7 <= ops) {
            lines.push(`  affine.for %i${n} = 0 to 8 {`, `    affine.for %j${n} = 0 to 8 {`, `      %l${n} = affine.load %C[%i${n}, %j${n}] : memref<8x8xf64>`,
                `      %m${n} = arith.mulf %l${n}, %l${n} : f64`, `      affine.store %m${n}, %C[%j${n}, %i${n}] : memref<8x8xf64>`, '    }', '  }');
            made += 7; // with the ends of both loops
        } else if (made + 5 <= ops) {
            lines.push(`  %a${n} = memref.load %A[%c${(n * 7) % positions}] : memref<64xf64>`, `  %b${n} = memref.load %B[%c${(n * 3) % positions}] : memref<64xf64>`,
                `  %p${n} = arith.mulf %a${n}, %b${n} : f64`, `  %s${n} = arith.addf %p${n}, %a${n} : f64`,
                `  memref.store %s${n}, %${n % 2 ? 'A' : 'B'}[%c${(n * 5) % positions}] : memref<64xf64>`);
            made += 5;
        } else {
            lines.push(`  %x${n} = arith.constant ${n} : index`);
            made += 1;
        }
    }
    return `${lines.join('\n')}\n  return\n}\n`;
}

/** Runs mlir-opt. Returns null, or why there is no result. */
export function transform(from, to, options) {
    const linalg = readFileSync(from, 'utf8').includes('linalg.') ? ['--convert-linalg-to-affine-loops'] : [];
    const run = spawnSync('mlir-opt-19', [from, ...linalg, ...options.split(' '), '-o', to], { encoding: 'utf8' });
    if (run.signal !== null || run.stderr.includes('Stack dump')) {
        const [, where] = run.stderr.match(/^ *#\d+ 0x[0-9a-f]+ (mlir::[^(]*)/m) ?? [];
        return `mlir-opt crashes${where ? ` in ${where}` : ''}`;
    }
    return run.status === 0 ? null : `mlir-opt: ${run.stderr.split('\n', 1)[0]}`;
}

/** A number from 0 to 1 for a seed. */
function noise(seed) {
    const x = Math.sin(seed * 12.9898 + 4.1) * 43758.5453;
    return x - Math.floor(x);
}

/** `sample` 0: positive numbers, great on a diagonal, and few different integers; 1: numbers of both signs, many different integers; 2: all integers. */
function literal(shape, element, seed, sample) {
    let count = 0;
    const at = (axis, index) => {
        if (axis === shape.length) {
            count += 1;
            const x = noise(seed * 1000 + count);
            if (sample > 0) {
                const integer = sample === 1 ? Math.floor(x * 200) - 20 : Math.floor((x - 0.5) * 2 ** 32);
                return element.startsWith('i') ? String(integer) : ((2 * x - 1) * sample).toFixed(6);
            }
            const diagonal = shape.length === 2 && shape[0] === shape[1] && index[0] === index[1];
            return element.startsWith('i') ? String(Math.floor(x * 4)) : (x + 0.5 + (diagonal ? 4 * shape[0] : 0)).toFixed(6);
        }
        return `[${Array.from({ length: shape[axis] }, (_, i) => at(axis + 1, [...index, i])).join(', ')}]`;
    };
    return at(0, []);
}

const lowering = ['--convert-linalg-to-loops', '--convert-vector-to-scf', '--lower-affine', '--convert-scf-to-cf', '--convert-vector-to-llvm',
    '--expand-strided-metadata', '--lower-affine', '--convert-math-to-llvm', '--finalize-memref-to-llvm', '--convert-arith-to-llvm', '--convert-index-to-llvm',
    '--convert-func-to-llvm', '--convert-cf-to-llvm', '--reconcile-unrealized-casts'];

/** What the arguments hold after a run by the processor, as a list of numbers; null where it cannot be lowered. `parameters`: the reference's. */
export function runByProcessor(text, parameters, work) {
    const body = [];
    const globals = [];
    for (const sample of [0, 1, 2]) {
        const names = parameters.map((_, at) => `%a${at}_${sample}`);
        const memrefs = parameters.map(({ type }) => type.match(/^memref<((?:\d+x)+)(\w+)>$/));
        parameters.forEach(({ type }, at) => {
            const memref = memrefs[at];
            const name = `${at}_${sample}`;
            if (!memref) {
                body.push(`%a${name} = arith.constant ${(noise(at + sample) + 1).toFixed(6)} : ${type}`);
                return;
            }
            const shape = memref[1].split('x').slice(0, -1).map(Number);
            globals.push(`memref.global "private" constant @in${name} : ${type} = dense<${literal(shape, memref[2], at + 1, sample)}>`);
            body.push(`%g${name} = memref.get_global @in${name} : ${type}`, `%a${name} = memref.alloc() : ${type}`,
                `memref.copy %g${name}, %a${name} : ${type} to ${type}`);
        });
        body.push(`func.call @kernel(${names.join(', ')}) : (${parameters.map(({ type }) => type).join(', ')}) -> ()`);
        parameters.forEach(({ type }, at) => {
            if (memrefs[at]) {
                const unranked = `memref<*x${memrefs[at][2]}>`;
                body.push(`%u${at}_${sample} = memref.cast %a${at}_${sample} : ${type} to ${unranked}`,
                    `func.call @printMemref${memrefs[at][2].toUpperCase()}(%u${at}_${sample}) : (${unranked}) -> ()`);
            }
        });
    }
    const more = `${['f32', 'f64', 'i32'].map((e) => `func.func private @printMemref${e.toUpperCase()}(memref<*x${e}>) attributes {llvm.emit_c_interface}`).join('\n')}
${globals.join('\n')}
func.func @main() {
  ${body.join('\n  ')}
  return
}`;
    const plain = text.replace(/, 1>/g, '>');
    const end = plain.lastIndexOf('}');
    const whole = /^module/m.test(plain) ? `${plain.slice(0, end)}${more}\n}\n` : `${plain}\n${more}\n`;
    const file = join(work, 'run.mlir');
    writeFileSync(file, whole);
    const low = spawnSync('mlir-opt-19', [file, ...lowering, '-o', join(work, 'run.llvm.mlir')], { encoding: 'utf8' });
    if (low.status !== 0 || low.stderr.includes('Stack dump')) {
        return null;
    }
    const run = spawnSync('mlir-cpu-runner-19', [join(work, 'run.llvm.mlir'), '-e', 'main', '--entry-point-result=void',
        '--shared-libs=/usr/lib/llvm-19/lib/libmlir_runner_utils.so,/usr/lib/llvm-19/lib/libmlir_c_runner_utils.so'], { encoding: 'utf8', maxBuffer: 1 << 30 });
    if (run.status !== 0) {
        return null;
    }
    return run.stdout.split('\n').filter((line) => !line.includes('base@')).join(' ').match(/-?(?:nan|inf|\d[\d.e+-]*)/g).map(Number);
}

export function parametersOf(text) {
    return [...text.match(/@kernel\(([^)]*)\)/)[1].matchAll(/%(\w+): ([^,]+(?:<[^>]*>)?)/g)].map(([, name, type]) => ({ name, type: type.trim() }));
}

/** The first place where two runs differ by more than rounding, or -1. */
export function firstDifference(a, b) {
    if (a.length !== b.length) {
        return 0;
    }
    return a.findIndex((x, at) => !(Object.is(x, b[at]) || Math.abs(x - b[at]) <= 2e-4 * Math.max(1, Math.abs(x))));
}

export function tools() {
    for (const tool of ['mlir-opt-19', 'mlir-cpu-runner-19']) {
        execFileSync('sh', ['-c', `command -v ${tool}`]);
    }
}

export function fresh(path) {
    if (!existsSync(path)) {
        mkdirSync(path, { recursive: true });
    }
    return path;
}
