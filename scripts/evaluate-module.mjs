import { build } from 'esbuild';

/**
 * Evaluates a TypeScript module whose exports are data made from JSON files.
 * @returns {Promise<string>} a JavaScript module with the same exports as JSON, which V8 parses faster than an object literal
 */
export async function evaluateModule(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
  });
  const [{ text }] = outputFiles;
  const exports = await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
  return Object.entries(exports)
    .map(([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))});`)
    .join('\n');
}
