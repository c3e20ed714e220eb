/** All generated files and what they must hold, as one map; nothing is written here. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/server/operations/index.ts';
import { manifestOf, manifestSource } from './manifest.ts';
import { operationFiles, registrySource } from './registry.ts';

/** Path relative to the project's root -> content. */
export async function generatedFiles(root: string): Promise<Map<string, string>> {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const all = operations as unknown as Readonly<Record<string, Operation<never>>>;
  const manifest = manifestOf(all, version);
  return new Map([
    ['src/server/operations/index.ts', registrySource(operationFiles(path.join(root, 'src/server/operations')))],
    ['src/contract/manifest.ts', manifestSource(manifest)],
  ]);
}
