/** Generates docs/openapi.json: the API document with the members of the command, from which the manifest is read. */
import { oauthOperations } from '../../src/server/oauth/index.ts';
import { buildOpenApiDocument, type DocumentOptions } from '../../src/server/openapi/document.ts';
import { operations } from '../../src/server/operations/index.ts';

export function openapiSource(options: DocumentOptions): string {
  const document = buildOpenApiDocument([...Object.values(operations), ...oauthOperations], {
    ...options,
    withCommands: true,
  });
  return renderJson(document);
}

/** Renders JSON with two spaces, and each member `x-...` on one line. */
function renderJson(value: unknown): string {
  const extensions: string[] = [];
  const text = JSON.stringify(
    value,
    (key, item) => (key.startsWith('x-') ? `@x${extensions.push(JSON.stringify(item)) - 1}@` : item),
    2,
  );
  return `${text.replaceAll(/"@x(\d+)@"/g, (_, index: string) => extensions[Number(index)] ?? '')}\n`;
}
