/**
 * Builds the web console with Vite into dist/console: index.html, and assets/ with hashed names.
 * The modules of each chunk are written to metafile.json in the form of esbuild's, for the third-party notices.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { evaluateModule } from '../../scripts/evaluate-module.mjs';

/** @returns {Promise<{ outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> }>} */
export async function buildConsole({ root, outdir }) {
  const metafile = { outputs: {} };
  const { NODE_ENV } = process.env;
  // Vite keeps that of its environment, and React has another build for tests.
  process.env.NODE_ENV = 'production';
  await build({
    root: path.join(root, 'packages/console'),
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    // References in the page are relative; the server adapts them to the path of the page.
    base: './',
    build: {
      outDir: outdir,
      emptyOutDir: true,
      target: 'es2022',
      // The Content Security Policy of the page forbids data: URLs of scripts and fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: 'manifest.json',
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: { onLog: ignoreDirectives },
    },
    plugins: [evaluateTables, replaceJsxRuntime(root), collectModules({ root, metafile })],
  });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  writeFileSync(path.join(outdir, 'metafile.json'), JSON.stringify(metafile));
  return metafile;
}

/** The page contains the rules and hints, not the documents that they are from. */
const evaluateTables = {
  name: 'evaluate-tables',
  enforce: 'pre',
  load: (id) => (/[\\/]api[\\/](access-rules|error-hints)\.ts$/.test(id) ? evaluateModule(id) : undefined),
};

/** Text of a page is created by the runtime of JSX only: the console's own one escapes it. */
function replaceJsxRuntime(root) {
  const file = path.join(root, 'packages/console/src/jsx-runtime.ts');
  return {
    name: 'replace-jsx-runtime',
    enforce: 'pre',
    resolveId: (source, importer) => (source === 'react/jsx-runtime' && importer !== file ? file : undefined),
  };
}

/** Packages mark their modules with 'use client', which has a meaning only for a renderer on a server. */
function ignoreDirectives(level, log, handle) {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
}

/** Records which modules each chunk contains, relative to the project. */
function collectModules({ root, metafile }) {
  return {
    name: 'collect-modules',
    generateBundle(_options, bundle) {
      for (const [file, { type, modules }] of Object.entries(bundle))
        if (type === 'chunk') metafile.outputs[file] = { inputs: toInputs(root, modules) };
    },
  };
}

function toInputs(root, modules) {
  const files = Object.entries(modules).filter(([id]) => path.isAbsolute(id));
  return Object.fromEntries(
    files.map(([id, { renderedLength }]) => [
      path.relative(root, id.split('?')[0]).split(path.sep).join('/'),
      { bytesInOutput: renderedLength },
    ]),
  );
}
