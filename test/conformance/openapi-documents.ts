/** Both OpenAPI documents, the committed and the built one, and their registries, for the tests that check them. */
import { builtDocs } from '../../scripts/generate/docs.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { oauthOperations } from '../../src/server/oauth/index.ts';
import { operations } from '../../src/server/operations/index.ts';
import { readSource, root } from './source-files.ts';

export interface Media {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: { readonly examples?: readonly unknown[] };
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-roles': string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  } & Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface ApiDocumentSource {
  readonly file: string;
  readonly source: string;
  readonly document: ApiDocument;
  readonly operations: readonly Operation<never>[];
}

function describeDocument(file: string, source: string, registry: readonly Operation<never>[]): ApiDocumentSource {
  return { file, source, document: JSON.parse(source) as ApiDocument, operations: registry };
}

export const serviceDocument = describeDocument('docs/openapi.json', readSource('docs/openapi.json'), [
  ...Object.values(operations),
  ...oauthOperations,
]);

export const controlDocument = describeDocument(
  'dist/docs/control-openapi.json',
  (await builtDocs(root)).get('control-openapi.json') ?? '',
  controlRoutes as readonly Operation<never>[],
);

export const documents: readonly ApiDocumentSource[] = [serviceDocument, controlDocument];

/** Every operation of a document, with its method and path. */
export function listOperations({ paths }: ApiDocument): { call: string; described: OpenApiOperation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ call: `${method.toUpperCase()} ${path}`, described })),
  );
}
