/**
 * Bundles the command, the server, the library and the client in one run of esbuild with splitting: each module is in
 * one file, which the others share. The files are converted to CommonJS, which Node starts faster than ES modules and
 * which `import` and `require` share.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, transform } from 'esbuild';
import { evaluateModule } from './evaluate-module.mjs';

/** The files of the package that others load by name; those of `host`, by `useHost`. */
const entryPoints = {
  cli: 'src/cli/main.ts',
  server: 'src/server/main.ts',
  index: 'src/testing/index.ts',
  client: 'src/client/index.ts',
  testcontainers: 'src/testcontainers/index.ts',
  host: 'src/lib/host.ts',
  'host-web': 'src/lib/host-web.ts',
};

const resolvePackages = {
  name: 'resolve-packages',
  setup({ initialOptions, onResolve }) {
    const inRoot = (file) => path.join(initialOptions.absWorkingDir, file);
    /** @param name as the package imports it */
    const replaceIn = (name, packageName, file) =>
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ importer }) =>
        importer.startsWith(inRoot(`node_modules/${packageName}/`)) ? { path: inRoot(file) } : undefined,
      );
    onResolve({ filter: /^undici$/ }, () => ({ path: inRoot('scripts/undici.mjs') }));
    replaceIn('timers', 'xml2js', 'scripts/timers-for-xml2js.cjs');
    replaceIn('node:child_process', 'commander', 'scripts/child-process-for-command.cjs');
    replaceIn('node:http', 'undici', 'scripts/http-for-undici.cjs');
    // HTTP/2, and bodies that are forms.
    for (const part of ['./client-h2.js', '../web/fetch/body.js'])
      replaceIn(part, 'undici', 'scripts/without-part-of-undici.cjs');
    onResolve({ filter: /^(pg-native|supports-color)$/ }, () => ({
      path: inRoot('scripts/without-optional-package.cjs'),
    }));
  },
};

/** The types that Koa itself looks up. Responses of the service name theirs. */
const koaMediaTypes = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];

/**
 * Large data. The manifest is read from the API document now, and not by each command; V8 parses JSON faster than an object
 * literal: for the manifest, 6 ms of each command on Node 20. Of the media types, which two packages of Koa index at the
 * start, only those are kept that Koa looks up.
 */
const parseData = {
  name: 'parse-data',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]contract[\\/](manifest|operation-reference)\.ts$/ }, async ({ path: file }) => ({
      contents: await evaluateModule(file),
    }));
    onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, ({ path: file }) => {
      const types = JSON.parse(readFileSync(file, 'utf8'));
      const text = JSON.stringify(Object.fromEntries(koaMediaTypes.map((type) => [type, types[type]])));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(text)});` };
    });
  },
};

const forNode = { platform: 'node', target: 'node20' };

/**
 * Writes the bundle into `outdir`, with esbuild's metafile for the tests.
 * @returns the metafile: the inputs, outputs and imports of the bundle
 */
export async function bundle({ root, outdir }) {
  mkdirSync(path.join(outdir, 'chunks'), { recursive: true });
  const { outputFiles, metafile } = await build({
    ...forNode,
    absWorkingDir: root,
    entryPoints,
    // Native code.
    external: ['@node-rs/argon2', 'fs-native-extensions'],
    outdir,
    outExtension: { '.js': '.cjs' },
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    plugins: [resolvePackages, parseData],
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  const define = defineHost(metafile);
  const libraryFiles = listLibraryFiles(metafile);
  for (const { path: file, text } of outputFiles) {
    const isChunk = path.dirname(file) !== outdir;
    const source = isChunk ? exportGetters(dropBareImports(text)) : dropBareImports(text);
    const code = libraryFiles.has(path.relative(root, file))
      ? useHost(path.relative(outdir, file), await toCommonJs(source, define))
      : requireLate(await toCommonJs(source));
    writeFileSync(file, code);
  }
  mergeCommandFiles({ root, outdir, metafile, libraryFiles });
  for (const name of ['client', 'testcontainers'])
    writeModule(path.join(outdir, `${name}.js`), exportsOf(metafile, name));
  writeLibraryModule(path.join(outdir, 'index.js'), exportsOf(metafile, 'index'));
  writeFileSync(path.join(outdir, 'metafile.json'), JSON.stringify(metafile));
  return metafile;
}

/** The modules whose exports replace global names in all files, also of packages. */
const hosts = { iamHost: 'host', iamHostWeb: 'host-web' };

/** Test runners replace globals. @returns each global name with what replaces it */
function defineHost(metafile) {
  const globals = Object.entries(hosts).flatMap(([variable, entry]) =>
    exportsOf(metafile, entry).map((name) => [name, `${variable}.${name}`]),
  );
  return { ...Object.fromEntries(globals), 'Symbol.asyncDispose': 'iamHost.asyncDispose' };
}

/** Loads the modules that a file uses: that of the web classes at their first use, as it takes 10 ms. */
function useHost(file, code) {
  const folder = path.dirname(file) === '.' ? './' : '../';
  const lines = Object.entries(hosts).map(([variable, entry]) => {
    const names = new Set([...code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))].map(([, name]) => name));
    const host = `require("${folder}${entry}.cjs")`;
    if (names.size === 0) return '';
    if (variable === 'iamHost') return `const iamHost=${host};`;
    return `const ${variable}={${[...names].map((name) => `get ${name}(){return ${host}.${name}}`).join(',')}};`;
  });
  // After the directive, if the file starts with it.
  return code.replace(/^("use strict";)?/, `$1${lines.join('')}`);
}

/** esbuild splits ES modules only, so each file is converted afterwards. */
async function toCommonJs(text, define) {
  const { code } = await transform(text, {
    ...forNode,
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    // Test runners without ES modules, such as jest, do not support import().
    supported: { 'dynamic-import': false },
    define: { ...define, 'import.meta.dirname': '__dirname' },
    // Bundling has reported the warnings.
    logLevel: 'error',
  });
  // Files of the bundle need no conversion when they are loaded.
  return code.replace(/\b__toESM\((require\("\.[^"]*"\))\)/g, '$1');
}

/**
 * Each entry point of esbuild imports all files that it needs in some way, so that they run in order. No module of the
 * bundle needs that.
 */
function dropBareImports(text) {
  return text.replace(/^import "\.[^"]*";\n/gm, '');
}

/** Exports of a chunk as one object, in place of the functions by which esbuild defines and copies each in each file. */
function exportGetters(text) {
  return text.replace(/^export \{\n([^}]*)\};\n$/m, (_, list) => {
    const getters = list.split(',\n').map((one) => {
      const [local, name = local] = one.trim().split(' as ');
      return `get ${name}() { return ${local}; }`;
    });
    return `module.exports = { __esModule: true, ${getters.join(', ')} };\n`;
  });
}

/**
 * All files but those that only the command loads: those of the library run in the process of a test, where test runners replace
 * globals, and must not be loaded later than the library.
 */
function listLibraryFiles({ outputs }) {
  const found = new Set();
  for (const [file, { entryPoint }] of Object.entries(outputs))
    if (entryPoint !== entryPoints.cli && Object.values(entryPoints).includes(entryPoint))
      addImports(outputs, file, found, () => true);
  return found;
}

/** Adds a file, and those that it imports in a way that counts. */
function addImports(outputs, file, found, counts) {
  if (found.has(file)) return found;
  found.add(file);
  for (const imported of outputs[file].imports)
    if (!imported.external && counts(imported)) addImports(outputs, imported.path, found, counts);
  return found;
}

/** Loads other files of the bundle, and modules of Node, when their exports are first used: help sends no requests. */
function requireLate(code) {
  const declarations = /\b(import_\w+)=((?:__toESM\()?require\("(?:\.|node:)[^"]*"\)\)?)/g;
  const names = [...code.matchAll(declarations)].map(([, name]) => name);
  if (names.length === 0) return code;
  const uses = new RegExp(`\\b(new )?(${names.join('|')})\\.([\\w$]+)`, 'g');
  const late = code.replace(uses, (_, isNew, name, property) =>
    isNew ? `new(${name}().${property})` : `${name}().${property}`,
  );
  // A list of 1,000 names has 20,000 uses: Node would look each up.
  return late.replace(declarations, '$1=()=>$1.file??=$2');
}

/**
 * Writes two files in place of 50 that most commands load: what builds the command of an operation, and what runs it. Node
 * takes 0.3 ms to find and load a file.
 */
function mergeCommandFiles({ root, outdir, metafile: { outputs }, libraryFiles }) {
  const withStaticImports = (entry) => {
    const file = Object.keys(outputs).find((one) => outputs[one].entryPoint === entry);
    return [...addImports(outputs, file, new Set(), ({ kind }) => kind === 'import-statement')];
  };
  // Those are all that --version loads.
  const first = new Set(withStaticImports(entryPoints.cli));
  const isMerged = (file) => outputs[file] && !first.has(file) && !libraryFiles.has(file);
  const ofHelp = ['list', 'create', 'delete'].flatMap((verb) => listLoaded(outdir, ['groups', verb, '--help']));
  const start = [...new Set(ofHelp.map((file) => path.relative(root, file)))].filter(isMerged);
  const request = withStaticImports('src/cli/commands/operation.ts').filter(
    (file) => isMerged(file) && !start.includes(file),
  );
  const targets = new Map();
  for (const [name, files] of Object.entries({ start, request }))
    for (const file of files) targets.set(file, path.join(path.dirname(file), `${name}.cjs`));
  writeMerged(root, outputs, targets, libraryFiles);
  mergeOutputs(outputs, targets);
}

/** Runs a command of the bundle. @returns the files that it loads */
function listLoaded(outdir, words) {
  const report = 'process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(Object.keys(require.cache))))';
  const script = `require(${JSON.stringify(path.join(outdir, 'cli.cjs'))}); ${report}`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script, 'iam', ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`iam ${words.join(' ')} ended with ${status}: ${stderr}`);
  // After warnings, if Node prints some.
  return JSON.parse(stderr.slice(stderr.lastIndexOf('\n')));
}

/** @param targets the file that contains each merged one, which is called with its name */
function writeMerged(root, outputs, targets, libraryFiles) {
  const nameOf = (file) => path.basename(file, '.cjs');
  const files = new Map([...targets].map(([file, target]) => [nameOf(file), nameOf(target)]));
  const modules = new Map([...targets.values()].map((target) => [target, '']));
  for (const file of Object.keys(outputs).filter((one) => !libraryFiles.has(one))) {
    const absolute = path.join(root, file);
    const code = readFileSync(absolute, 'utf8').replace(
      /\brequire\("(\.\/(?:chunks\/)?)([^"/]+)\.cjs"\)/g,
      (call, folder, name) => (files.has(name) ? `require("${folder}${files.get(name)}.cjs")("${name}")` : call),
    );
    const target = targets.get(file);
    if (target === undefined) writeFileSync(absolute, code);
    else {
      modules.set(target, `${modules.get(target)}"${nameOf(file)}"(module,exports){${code}},\n`);
      rmSync(absolute);
    }
  }
  for (const [target, code] of modules)
    writeFileSync(path.join(root, target), `const files={${code}},loaded={};module.exports=${loadMerged};\n`);
}

/** As Node loads a CommonJS file. */
const loadMerged =
  'name=>{if(!loaded[name]){const module=loaded[name]={exports:{}};files[name](module,module.exports)}return loaded[name].exports}';

/** The same in the metafile. */
function mergeOutputs(outputs, targets) {
  for (const output of Object.values(outputs))
    output.imports = output.imports.map((one) => ({ ...one, path: targets.get(one.path) ?? one.path }));
  for (const [file, target] of targets) {
    const { inputs, imports, bytes, entryPoint } = outputs[file];
    // The first one is that of `run`.
    const merged = outputs[target] ?? { inputs: {}, imports: [], exports: [], bytes: 0, entryPoint };
    outputs[target] = {
      ...merged,
      inputs: { ...merged.inputs, ...inputs },
      imports: [...merged.imports, ...imports],
      bytes: merged.bytes + bytes,
    };
    delete outputs[file];
  }
}

function exportsOf({ outputs }, name) {
  const [, output] = Object.entries(outputs).find(([file]) => path.basename(file) === `${name}.cjs`);
  return output.exports;
}

/** Writes the ES module of an entry, which exports what the CommonJS file of the same name does. */
function writeModule(file, names) {
  const source = `./${path.basename(file, '.js')}.cjs`;
  writeFileSync(file, `export { ${names.join(', ')} } from '${source}';\n`);
}

/**
 * The same for the library, which is not bundled: Node 20 takes a quarter longer to load all CommonJS below a file that
 * a module imports than below one that is required.
 */
function writeLibraryModule(file, names) {
  const source = `createRequire(import.meta.url)('./${path.basename(file, '.js')}.cjs')`;
  const lines = ["import { createRequire } from 'node:module';", `export const { ${names.join(', ')} } = ${source};`];
  writeFileSync(file, `${lines.join('\n')}\n`);
}
