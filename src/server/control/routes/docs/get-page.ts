import * as z from 'zod';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'read',
  browser: 'page',
  id: 'control.docs',
  title: 'Show the API documentation page',
  description:
    'For browsers: the API documents of the interface and of the control plane, with requests that you can try on this server. In a sandbox the requests go to the sandbox. The page loads no external resources.',
  method: 'GET',
  path: '/docs',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      document: z
        .enum(['service', 'control'])
        .optional()
        .describe('The document to show: service (default) or control'),
    },
  },
  response: { status: 200, body: z.string(), alternatives: ['text/html'] },
  errors: ['PAGE_NOT_BUILT'],
  openapiExamples: { response: '<!doctype html>' },

  async handle(_request, { docsPageFiles }) {
    const { renderDocsPage } = await import('../../../openapi/docs-page.ts');
    return renderDocsPage(docsPageFiles);
  },
});
