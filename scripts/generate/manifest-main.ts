/** Writes the manifest and the value schemas: the commands, and so docs/public-api.md, are built from them. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { operations } from '../../src/server/operations/index.ts';
import { buildManifest, manifestSource } from './manifest.ts';
import { valueSchemasSource } from './value-schemas.ts';

const root = process.argv[2] ?? '.';
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
writeFileSync(path.join(root, 'src/contract/manifest.json'), manifestSource(buildManifest(operations, version)));
writeFileSync(path.join(root, 'src/cli/plan/value-schemas.ts'), valueSchemasSource());
