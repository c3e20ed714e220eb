/** Writes the files that docs/reference/public-api.md is built from: the manifest and the value schemas of the commands, and the types. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { operations } from '../../src/server/operations/index.ts';
import { clientTypesSource } from './client-types.ts';
import { libraryTypesSource } from './library-types.ts';
import { buildManifest, manifestSource } from './manifest.ts';
import { valueSchemasSource } from './value-schemas.ts';

const root = process.argv[2] ?? '.';
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
const write = (file: string, content: string) => writeFileSync(path.join(root, file), content);

write('src/contract/manifest.json', manifestSource(buildManifest(operations, version)));
write('src/cli/plan/value-schemas.ts', valueSchemasSource());
write('src/client/operation-types.ts', clientTypesSource(operations));
write('src/testing/library-types.ts', libraryTypesSource());
