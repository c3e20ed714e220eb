/**
 * Bundles the CLI into a few files: one for every run, one for every command, and one per package that only some
 * commands use. They are CommonJS, with which Node starts up to 15 ms faster than with ES modules. The server (which
 * `iam serve` loads from dist/) and native packages stay external.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOfTheirOwn, manifestByLine, nodeWhenUsed, withoutHardlyUsed } from './cli-plugins.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The files of the bundle and their entry modules. */
const files = {
  main: 'src/cli/main.ts',
  run: 'src/cli/run.ts',
  http: 'src/client/undici.ts',
  server: 'src/cli/local-server/plain-require.ts',
  prompts: 'src/cli/io/inquirer.ts',
  yaml: 'src/cli/io/yaml.ts',
  signatures: 'src/cli/auth/jose.ts',
  plan: 'src/cli/plan/index.ts',
  query: 'src/cli/output/jmespath.ts',
  bulk: 'src/cli/bulk/index.ts',
  colour: 'src/cli/io/colour.ts',
  width: 'src/cli/output/string-width.ts',
};

/** The files with a V8 code cache: those that most runs load. The others load after a V8 flag that invalidates caches. */
const compiled = ['run', 'http'];

/** Writes main.cjs and the files it loads into `outdir`. @returns the metafile of each. */
export async function bundleCli({ outdir }) {
  const { build } = await import('esbuild');
  mkdirSync(outdir, { recursive: true });
  // V8 validates a code cache by little more than the length of the source, so old caches are removed.
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

/** Writes the V8 code caches of the compiled files, for the current Node. */
function compileAhead(outdir) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env;
  const warmUp = path.join(root, 'scripts/cli-warm-up.cjs');
  execFileSync(process.execPath, [warmUp, path.resolve(outdir), ...compiled], { env, stdio: ['ignore', 2, 2] });
}
