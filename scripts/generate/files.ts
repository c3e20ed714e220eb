/** All generated files with their content, as one map; writes nothing. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { renderCliReference } from '../../src/cli/cli-reference.ts';
import { documentSchema } from '../../src/cli/plan/schema.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { buildControlDocument } from '../../src/server/control/control-document.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { buildOpenApiDocument } from '../../src/server/openapi/document.ts';
import { operations } from '../../src/server/operations/index.ts';
import { controlPage } from './control-page.ts';
import { errorsPage } from './errors-page.ts';
import { buildManifest, manifestSource, versionSource } from './manifest.ts';
import { operationsPage } from './operations-page.ts';
import { publicApiPage } from './public-api-page.ts';
import { registries } from './registry.ts';
import { seedSchema } from './seed-schema.ts';
import { settingsPage } from './settings-page.ts';
import { userLifecyclePage } from './user-lifecycle-page.ts';
import { valueSchemasSource } from './value-schemas.ts';

/** The server URL in the documents in docs/: the default of a start without settings. */
const baseUrl = 'http://127.0.0.1:8080';

/** Path relative to the project's root -> content. */
export async function generatedFiles(root: string): Promise<Map<string, string>> {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const all: Readonly<Record<string, Operation<never>>> = operations;
  const document = buildOpenApiDocument(Object.values(all), { version, baseUrl });
  const ofControl = buildControlDocument(controlRoutes, { version, baseUrl, isRemote: false });
  return new Map([
    ...registries(root),
    ['src/contract/version.ts', versionSource(version)],
    ['src/contract/manifest.json', manifestSource(buildManifest(all, version))],
    ['docs/openapi.json', `${JSON.stringify(document, undefined, 2)}\n`],
    ['docs/control-openapi.json', `${JSON.stringify(ofControl, undefined, 2)}\n`],
    ['docs/operations.md', operationsPage(all)],
    ['docs/control.md', controlPage()],
    ['docs/errors.md', errorsPage(all)],
    ['docs/settings.md', settingsPage()],
    ['docs/user-lifecycle.md', userLifecyclePage()],
    ['docs/cli.md', renderCliReference()],
    ['docs/public-api.md', publicApiPage(root, all)],
    ['docs/seed.schema.json', seedSchema()],
    ['src/cli/plan/value-schemas.ts', valueSchemasSource()],
    ['docs/provisioning.schema.json', `${JSON.stringify(documentSchema, undefined, 2)}\n`],
  ]);
}
