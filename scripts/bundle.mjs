/**
 * Bundles the command, the server, the library and the client in one run of esbuild with splitting: each module is in
 * one file, which the others share. The files are converted to CommonJS, which Node starts faster than ES modules and
 * which `import` and `require` share.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, transform } from 'esbuild';

/** The files of the package that others load by name. */
const entryPoints = {
  cli: 'src/cli/main.ts',
  server: 'src/server/main.ts',
  index: 'src/testing/index.ts',
  client: 'src/client/index.ts',
  testcontainers: 'src/testcontainers/index.ts',
};

/**
 * The client and the server import undici as a dependency of the package, because they use all of it. The command contains
 * the part that sends a request, which starts sooner.
 */
const resolvePackages = {
  name: 'resolve-packages',
  setup({ initialOptions, onResolve }) {
    const inRoot = (file) => path.join(initialOptions.absWorkingDir, file);
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.startsWith(inRoot('src/cli/'))
        ? { path: inRoot('scripts/undici-for-command.mjs') }
        : { path: 'undici', external: true },
    );
    onResolve({ filter: /^node:http2$/ }, () => ({ path: inRoot('scripts/http2-for-command.cjs') }));
    onResolve({ filter: /^pg-native$/ }, () => ({ path: inRoot('scripts/without-native-driver.cjs') }));
  },
};

/**
 * Large files of data. V8 parses JSON faster than an object literal: for the manifest, 6 ms of each command on Node 20; for
 * the media types, which Koa loads, 7 ms of a start on Node 24.
 */
const parseData = {
  name: 'parse-data',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:contract[\\/]manifest|mime-db[\\/]db)\.json$/ }, ({ path: file }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
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
  for (const { path: file, text } of outputFiles) writeFileSync(file, await toCommonJs(text));
  for (const name of ['index', 'client', 'testcontainers'])
    writeModule(path.join(outdir, `${name}.js`), exportsOf(metafile, name));
  writeFileSync(path.join(outdir, 'metafile.json'), JSON.stringify(metafile));
  return metafile;
}

/** esbuild splits ES modules only, so each file is converted afterwards. */
async function toCommonJs(text) {
  const { code } = await transform(text, {
    ...forNode,
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    // Test runners without ES modules, such as jest, do not support import().
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    // Bundling has reported the warnings.
    logLevel: 'error',
  });
  return code;
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
