/** The generated files that are committed, with their content, as one map; writes nothing. The build makes others: docs.ts. */
import { documentSchema } from '../../src/cli/plan/schema.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { oauthOperations } from '../../src/server/oauth/index.ts';
import { operations } from '../../src/server/operations/index.ts';
import { clientTypesSource } from './client-types.ts';
import { readDocumentOptions } from './document-options.ts';
import { errorsPage } from './errors-page.ts';
import { faultsPage } from './faults-page.ts';
import { libraryTypesSource } from './library-types.ts';
import { openapiSource } from './openapi.ts';
import { operationsPage } from './operations-page.ts';
import { publicApiPage } from './public-api-page.ts';
import { registries } from './registry.ts';
import { securityPage } from './security-page.ts';
import { seedSchema } from './seed-schema.ts';
import { serverTablesSource } from './server-tables.ts';
import { settingsPage } from './settings-page.ts';
import { userLifecyclePage } from './user-lifecycle-page.ts';
import { valueSchemasSource } from './value-schemas.ts';
import { versionSource } from './version.ts';

/** Path relative to the project's root -> content. */
export async function generatedFiles(root: string): Promise<Map<string, string>> {
  const options = readDocumentOptions(root);
  const { version } = options;
  const all: Readonly<Record<string, Operation<never>>> = operations;
  return new Map([
    ...registries(root),
    ['src/contract/version.ts', versionSource(version)],
    ['src/contract/server.json', serverTablesSource()],
    ['docs/openapi.json', openapiSource(options)],
    ['src/client/operation-types.ts', clientTypesSource(all)],
    ['src/testing/library-types.ts', libraryTypesSource()],
    ['docs/reference/operations.md', operationsPage(all)],
    [
      'docs/reference/errors.md',
      errorsPage({ ...all, ...Object.fromEntries(oauthOperations.map((one) => [one.id, one])) }),
    ],
    ['docs/reference/faults.md', faultsPage()],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/user-lifecycle.md', userLifecyclePage(root)],
    ['docs/security.md', securityPage(root)],
    ['docs/reference/public-api.md', await publicApiPage(root, all)],
    ['docs/seed.schema.json', seedSchema()],
    ['src/cli/plan/value-schemas.ts', valueSchemasSource()],
    ['docs/provisioning.schema.json', `${JSON.stringify(documentSchema, undefined, 2)}\n`],
  ]);
}
