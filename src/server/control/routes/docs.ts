/** GET /_iam/docs */
import * as z from 'zod';
import { defineRoute } from '../define.ts';

export default defineRoute({
  capability: 'read',
  browser: 'page',
  id: 'control.docs',
  title: 'Shows a page to read and try the API documents',
  description:
    'For browsers: the documents of the interface and of the control plane, with calls to this server that can be tried. In a sandbox they go to the sandbox. It loads nothing from elsewhere.',
  method: 'GET',
  path: '/docs',
  audit: { kind: 'read', targets: {} },
  status: [200, 401, 403, 404, 500],
  request: {},
  response: { status: 200, body: z.string(), alternatives: ['text/html'] },
  errors: ['PAGE_NOT_BUILT'],
  openapiExamples: { response: '<!doctype html>' },

  async handle() {
    const { renderDocsPage: docsPage } = await import('../../openapi/docs-page.ts');
    return docsPage();
  },
});
