/**
 * Makes the command line a few files: what every run needs, what every command needs, and one for each package that only
 * some commands use. They are CommonJS, since Node starts up to 15 ms sooner when nothing is an ES module. The server
 * stays outside (`iam serve` loads it by its path in dist/), so do packages with native parts.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOfTheirOwn, manifestByLine, nodeWhenUsed, withoutHardlyUsed } from './cli-plugins.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Each file of the bundle and the module that it begins with. */
const files = {
  main: 'src/cli/main.ts',
  run: 'src/cli/run.ts',
  http: 'src/client/undici.ts',
  server: 'src/cli/runtime/plain-require.ts',
  prompts: 'src/cli/runtime/inquirer.ts',
  yaml: 'src/cli/runtime/yaml.ts',
  signatures: 'src/cli/runtime/jose.ts',
  plan: 'src/cli/plan/index.ts',
  query: 'src/cli/runtime/jmespath.ts',
  bulk: 'src/cli/bulk/index.ts',
  colour: 'src/cli/runtime/colour.ts',
};

/** Those that most runs load. Others load after V8 got a flag that code compiled beforehand does not fit. */
const compiled = ['run', 'http'];

/** Writes main.cjs and what it loads into `outdir`, and gives what esbuild says about each. */
export async function bundleCli({ outdir }) {
  const { build } = await import('esbuild');
  mkdirSync(outdir, { recursive: true });
  // V8 knows its code by little more than the length of the source, so no old code may lie beside a new file.
  for (const name of readdirSync(outdir)) if (name.endsWith('.code')) rmSync(path.join(outdir, name));
  const absolute = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, path.join(root, file)]));
  const bundles = Object.keys(files).map(async (name) => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: { [name]: files[name] },
      outdir,
      outExtension: { '.js': '.cjs' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      charset: 'ascii',
      minifySyntax: true,
      minifyWhitespace: true,
      minifyIdentifiers: true,
      plugins: [
        filesOfTheirOwn({ files: absolute, own: name, compiled }),
        withoutHardlyUsed,
        nodeWhenUsed,
        manifestByLine(path.join(outdir, 'manifest.jsonl')),
      ],
      legalComments: 'none',
      external: ['@node-rs/*'],
      metafile: true,
      logLevel: 'warning',
    });
    return metafile;
  });
  const metafiles = await Promise.all(bundles);
  compileAhead(outdir);
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  };
}

/** Writes the code of the compiled files beside them, for the Node that is here. */
function compileAhead(outdir) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env;
  const warmUp = path.join(root, 'scripts/cli-warm-up.cjs');
  execFileSync(process.execPath, [warmUp, path.resolve(outdir), ...compiled], { env, stdio: ['ignore', 2, 2] });
}
