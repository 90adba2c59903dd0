// Every kernel of tests/data/kernels at every size against what every option set of mlir-opt makes of it, through `lemmascope-cli check`,
// the speed of the machine on them, and how long files of many ops take. JSON on standard output; the tables of resources/docs/programs.md are written anew.
//   node bench_interp.mjs --cli PROGRAM --bench PROGRAM --work FOLDER [--confirm]
// --confirm: also runs every program with mlir-cpu-runner and writes tests/data/kernels/wrong.tsv: what mlir-opt got wrong. The verdicts
// are held against that file; the exit status is 1 if one is not what it should be.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { atSize, firstDifference, fresh, kernels, longProgram, optionSets, parametersOf, runByProcessor, sizeNames, transform, wrongOnes } from './kernels.mjs';

const given = {};
for (let at = 2; at < process.argv.length; at += 1) {
    const word = process.argv[at];
    if (word === '--confirm') {
        given.confirm = true;
    } else if (['--cli', '--bench', '--work'].includes(word) && at + 1 < process.argv.length) {
        at += 1;
        given[word.slice(2)] = resolve(process.argv[at]);
    }
}
const quit = (status, text) => {
    process.stderr.write(`${text}\n`);
    process.exit(status);
};
if (!given.cli || !given.bench || !given.work) {
    quit(64, 'usage: bench_interp.mjs --cli PROGRAM --bench PROGRAM --work FOLDER [--confirm]');
}
const say = (text) => process.stderr.write(`${text}\n`);
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const wrongFile = 'tests/data/kernels/wrong.tsv';

// --- the programs

const all = kernels();
const sets = optionSets();
fresh(given.work);
const fileOf = (kernel, size, set) => `${kernel.name}.${sizeNames[size]}${set ? `.${set.name}` : ''}.mlir`;
const pathOf = (kernel, size, set) => join(given.work, fileOf(kernel, size, set));
const failed = new Map(); // by file: why mlir-opt has no result
for (const kernel of all) {
    for (const size of sizeNames.keys()) {
        writeFileSync(pathOf(kernel, size), atSize(kernel.text, size));
        for (const set of sets) {
            const why = transform(pathOf(kernel, size), pathOf(kernel, size, set), set.options);
            if (why !== null) {
                failed.set(fileOf(kernel, size, set), why);
            }
        }
    }
}
say(`${all.length} kernels, ${sets.length} option sets, ${sizeNames.length} sizes; mlir-opt has no result for ${failed.size}`);

// --- what mlir-opt got wrong

if (given.confirm) {
    const rows = [];
    for (const kernel of all) {
        const differs = sets.map(() => []);
        for (const size of sizeNames.keys()) {
            const text = readFileSync(pathOf(kernel, size), 'utf8');
            const parameters = parametersOf(text);
            const reference = runByProcessor(text, parameters, given.work);
            if (reference === null) {
                quit(70, `${fileOf(kernel, size)}: mlir-cpu-runner does not run it`);
            }
            sets.forEach((set, at) => {
                if (failed.has(fileOf(kernel, size, set))) {
                    return;
                }
                const rewritten = runByProcessor(readFileSync(pathOf(kernel, size, set), 'utf8'), parameters, given.work);
                if (rewritten === null) {
                    say(`${fileOf(kernel, size, set)}: mlir-opt cannot lower what it made`);
                } else if (firstDifference(reference, rewritten) >= 0) {
                    differs[at].push(sizeNames[size]);
                }
            });
        }
        differs.forEach((list, at) => {
            if (list.length > 0) {
                rows.push([kernel.name, sets[at].name, list.join(',')].join('\t'));
            }
        });
        say(`${kernel.name}: ${rows.filter((row) => row.startsWith(`${kernel.name}\t`)).length} wrong`);
    }
    writeFileSync(wrongFile, `kernel\toptions\tsizes\n${rows.join('\n')}\n`);
}
const wrong = new Set(wrongOnes().flatMap(({ kernel, options, sizes }) => sizes.split(',').map((size) => `${kernel}.${size}.${options}.mlir`)));

// --- the checks

const pairs = [];
const batches = [];
for (const size of sizeNames.keys()) {
    const lines = ['name\treference\trewritten'];
    const names = [];
    for (const kernel of all) {
        for (const set of sets) {
            if (!failed.has(fileOf(kernel, size, set))) {
                lines.push([`${kernel.name} ${set.name}`, fileOf(kernel, size), fileOf(kernel, size, set)].join('\t'));
                names.push({ kernel: kernel.name, options: set.name, size: sizeNames[size], file: fileOf(kernel, size, set) });
            }
        }
    }
    const list = join(given.work, `pairs.${sizeNames[size]}.tsv`);
    const out = join(given.work, `pairs.${sizeNames[size]}.json`);
    writeFileSync(list, `${lines.join('\n')}\n`);
    const begin = process.hrtime.bigint();
    const run = spawnSync(given.cli, ['check', '--pairs', list, '--no-cache', '--json', out], { encoding: 'utf8', maxBuffer: 1 << 30 });
    const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
    if (![0, 1, 2].includes(run.status)) {
        quit(70, `${list}: status ${run.status}: ${run.stderr.slice(-1000)}`);
    }
    const results = JSON.parse(readFileSync(out, 'utf8')).pairs;
    results.forEach((result, at) => {
        const expected = wrong.has(names[at].file) ? 'refuted' : 'proved';
        pairs.push({ ...names[at], verdict: result.verdict, strength: result.strength, kind: result.kind,
            reason: result.reason ?? result.outputs?.map((each) => each.reason).find((text) => text) ?? null,
            expected, right: result.verdict === expected });
    });
    batches.push({ size: sizeNames[size], pairs: results.length, seconds });
    say(`${sizeNames[size]}: ${results.length} pairs in ${seconds.toFixed(1)} s`);
}
const unexpected = pairs.filter((pair) => !pair.right);
for (const pair of unexpected) {
    say(`${pair.file}: expected ${pair.expected}, found ${pair.verdict}${pair.kind ? `: ${pair.kind}` : ''}: ${pair.reason ?? ''}`);
}

// --- the machine

function machine(files) {
    const run = spawnSync(given.bench, files, { encoding: 'utf8', maxBuffer: 1 << 30, cwd: given.work });
    return run.stdout.trim().split('\n').map((line) => JSON.parse(line));
}
const rate = (row) => row.ops / row.seconds / 1e6;
const bare = (row) => row.ops / row.seconds_without_races / 1e6;
const perTerm = (row) => row.term_bytes / row.terms;
const parallel = sets.find((set) => set.name === 'parallel');
const measured = all.map((kernel) => ({
    kernel: kernel.name,
    sequential: machine([...sizeNames.keys()].map((size) => fileOf(kernel, size))),
    parallel: failed.has(fileOf(kernel, 2, parallel)) ? null : machine([fileOf(kernel, 2, parallel)])[0],
}));
const broken = measured.flatMap(({ sequential, parallel: tasks }) => [...sequential, tasks]).filter((row) => row !== null && (row.error || row.end !== 'finished'));
for (const row of broken) {
    say(`${row.file}: ${row.error ?? row.end}`);
}
const large = measured.map(({ sequential }) => sequential[2]);
const withTasks = measured.map((row) => row.parallel).filter((row) => row !== null && !row.error && row.tasks > 1);
// By which power of the ops something grows from the small size to the large one: 1 is linear.
const power = (what) => median(measured.map(({ sequential: [low, , high] }) => Math.log(what(high) / what(low)) / Math.log(high.ops / low.ops)));

// --- files of many ops

const long = [1000, 10000, 100000].map((ops) => {
    const file = `long.${ops}.mlir`;
    const text = longProgram(ops);
    writeFileSync(join(given.work, file), text);
    const [row] = machine([file]);
    const begin = process.hrtime.bigint();
    const run = spawnSync(given.cli, ['interp', file], { encoding: 'utf8', maxBuffer: 1 << 30, cwd: given.work });
    const command = Number(process.hrtime.bigint() - begin) / 1e9;
    if (run.status !== 0 || row.error) {
        quit(70, `${file}: ${row.error ?? run.stderr}`);
    }
    return { ops, bytes: text.length, executed: row.ops, read_seconds: row.read_seconds, lower_seconds: row.lower_seconds, run_seconds: row.seconds, command_seconds: command };
});

// --- digests in place of terms

const digests = [64, 128, 256].map((n) => {
    const file = `product.${n}.mlir`;
    const square = `memref<${n}x${n}xf32>`;
    writeFileSync(join(given.work, file), `func.func @product(%A: ${square}, %B: ${square}, %C: ${square}) {
  affine.for %i = 0 to ${n} {
    affine.for %j = 0 to ${n} {
      affine.for %k = 0 to ${n} {
        %a = affine.load %A[%i, %k] : ${square}
        %b = affine.load %B[%k, %j] : ${square}
        %c = affine.load %C[%i, %j] : ${square}
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : ${square}
      }
    }
  }
  return
}
`);
    const [row] = machine([file]);
    if (row.error || row.end !== 'finished') {
        quit(70, `${file}: ${row.error ?? row.end}`);
    }
    return { n, ...row };
});

// --- what mlir-opt got wrong, by option set

const miscompiles = sets.map((set) => {
    const of = pairs.filter((pair) => pair.options === set.name);
    const known = of.filter((pair) => pair.expected === 'refuted');
    return { options: set.name, pairs: of.length, wrong: known.length, found: known.filter((pair) => pair.right).length,
        accused: of.filter((pair) => pair.expected === 'proved' && pair.verdict === 'refuted').length,
        kernels: [...new Set(known.map((pair) => pair.kernel))] };
});
const summary = {
    cores: availableParallelism(),
    pairs: pairs.length,
    right: pairs.length - unexpected.length,
    seconds: batches,
    ops_per_second: median(large.map(rate)) * 1e6,
    bytes_per_term: median(large.map(perTerm)),
    growth: { seconds: power((row) => row.seconds), terms: power((row) => row.terms) },
    miscompiles: { wrong: miscompiles.reduce((sum, row) => sum + row.wrong, 0), found: miscompiles.reduce((sum, row) => sum + row.found, 0) },
    ops_per_second_with_tasks: median(withTasks.map(rate)) * 1e6,
    race_detection_factor: median(withTasks.map((row) => row.seconds / row.seconds_without_races)),
};

// --- tables

const cells = (list) => `| ${list.join(' | ')} |`;
const table = (columns, rows) => [cells(columns), cells(columns.map(() => '---')), ...rows.map(cells)];
const word = (pair) => (pair.verdict === 'proved' ? pair.strength : pair.verdict === 'refuted' ? `**${pair.kind === 'value' ? 'refuted' : pair.kind}**` : pair.verdict);
const verdictTable = table(['kernel', ...sets.map((set) => set.name)], all.map((kernel) => [`\`${kernel.name}\``, ...sets.map((set) => {
    const list = sizeNames.map((size) => pairs.find((pair) => pair.kernel === kernel.name && pair.options === set.name && pair.size === size));
    const words = list.map((pair) => (pair ? `${word(pair)}${pair.right ? '' : ' (!)'}` : 'no result'));
    return words.every((each) => each === words[0]) ? words[0] : words.join(' / ');
})]));
const missing = new Map(); // by reason: which kernels, options and sizes
for (const kernel of all) {
    for (const set of sets) {
        const sizes = sizeNames.filter((_, size) => failed.has(fileOf(kernel, size, set)));
        if (sizes.length > 0) {
            const why = failed.get(fileOf(kernel, sizeNames.indexOf(sizes[0]), set));
            missing.set(why, [...(missing.get(why) ?? []), `\`${kernel.name}\` with \`${set.name}\`${sizes.length < sizeNames.length ? ` (${sizes.join(', ')})` : ''}`]);
        }
    }
}
const wrongTable = table(['options', 'pairs', 'wrong by mlir-cpu-runner', 'refuted of those', 'refuted besides', 'kernels'],
    miscompiles.filter((row) => row.wrong + row.accused > 0).map((row) => [row.options, row.pairs, row.wrong, row.found, row.accused, row.kernels.map((name) => `\`${name}\``).join(', ')]));
const milliseconds = (seconds) => (seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0);
const longTable = table(['ops in the file', 'kB', 'ops executed', 'read, ms', 'lower, ms', 'run, ms', 'whole command, ms'],
    long.map((row) => [row.ops, Math.round(row.bytes / 1000), row.executed, ...[row.read_seconds, row.lower_seconds, row.run_seconds, row.command_seconds].map(milliseconds)]));
const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
const digestTable = table(['n', 'ops', 'terms', 'seconds', 'MB of terms', 'seconds with digests', 'MB of digests'],
    digests.map((row) => [row.n, row.ops, row.terms, row.seconds.toFixed(2), megabytes(row.term_bytes), row.seconds_with_digests.toFixed(2), megabytes(row.digest_bytes)]));
const million = (x) => x.toFixed(x < 10 ? 1 : 0);
const speedTable = table(['kernel', 'ops', 'terms', 'M ops/s small / medium / large', 'bytes a term', 'tasks', 'M ops/s with tasks', 'without race detection'],
    measured.map(({ kernel, sequential, parallel: tasks }) => [`\`${kernel}\``, sequential[2].ops, sequential[2].terms, sequential.map((row) => million(rate(row))).join(' / '),
        perTerm(sequential[2]).toFixed(1), ...(tasks && tasks.tasks > 1 ? [tasks.tasks, million(rate(tasks)), million(bare(tasks))] : ['', '', ''])]));
const refuted = pairs.filter((pair) => pair.verdict === 'refuted').length;
const proved = pairs.filter((pair) => pair.verdict === 'proved').length;
const text = [
    `${summary.cores} cores. ${proved} of ${pairs.length} pairs are proved and ${refuted} refuted; ${summary.right} verdicts are what mlir-cpu-runner's runs say.`,
    `${batches.map((batch) => `${batch.size}: ${batch.pairs} pairs in ${batch.seconds.toFixed(1)} s`).join('; ')}. Median at the large size: ${million(summary.ops_per_second / 1e6)} million ops a second,`,
    `${summary.bytes_per_term.toFixed(1)} bytes a term; with tasks ${million(summary.ops_per_second_with_tasks / 1e6)} million ops a second, ${summary.race_detection_factor.toFixed(2)} times the time without race detection.`,
    `From the small size to the large one time grows as ops^${summary.growth.seconds.toFixed(2)}, terms as ops^${summary.growth.terms.toFixed(2)}.`,
    '', '### Verdicts', '', ...verdictTable, '',
    ...[...missing].map(([why, list]) => `No result: ${why} on ${list.join(', ')}.`),
    '', '### What mlir-opt got wrong', '', ...wrongTable, '', '### Speed', '', ...speedTable, '', '### Long files', '', ...longTable, '',
    '### Digests in place of terms', '', ...digestTable,
];
const page = 'resources/docs/programs.md';
const [begin, end] = ['<!-- begin: written by packaging/bench interp -->', '<!-- end: written by packaging/bench interp -->'];
const old = readFileSync(page, 'utf8');
if (!old.includes(begin) || !old.includes(end)) {
    quit(65, `${page}: the markers '${begin}' and '${end}' are missing`);
}
writeFileSync(page, `${old.slice(0, old.indexOf(begin) + begin.length)}\n${text.join('\n')}\n${old.slice(old.indexOf(end))}`);
process.stderr.write(`${text.join('\n')}\n`);
process.stdout.write(`${JSON.stringify({ ...summary, long_files: long, digests, by_options: miscompiles, without_result: Object.fromEntries(failed), checks: pairs, machine: measured }, null, 1)}\n`);
process.exit(unexpected.length === 0 && broken.length === 0 ? 0 : 1);
