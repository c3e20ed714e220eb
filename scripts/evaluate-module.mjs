import { build } from 'esbuild';

/**
 * Evaluates a TypeScript module whose exports are data made from JSON files.
 * @returns {Promise<string>} a JavaScript module with the same exports as JSON, which V8 parses faster than an object literal:
 * each member of an object when it is first read, as most commands read few
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
    .map(([name, value]) => `export const ${name} = {${Object.entries(value).map(toMember).join(',')}};`)
    .join('\n');
}

function toMember([name, value]) {
  const key = JSON.stringify(name);
  const json = JSON.stringify(value);
  if (typeof value !== 'object') return `${key}: ${json}`;
  return `get ${key}() {
    const value = JSON.parse(${JSON.stringify(json)});
    Object.defineProperty(this, ${key}, { value, enumerable: true });
    return value;
  }`;
}
