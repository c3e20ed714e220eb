/** GET /_iam/openapi.json */
import * as z from 'zod';
import { packageVersion } from '../../../contract/version.ts';
import { defineRoute } from '../define.ts';

const ApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

type ApiDocument = z.input<typeof ApiDocument>;

/** Made once for each server and each sandbox, whose state it is kept by: it takes longer than other answers. */
const documents = new WeakMap<object, ApiDocument>();

export default defineRoute({
  capability: 'read',
  id: 'control.openapi',
  title: 'Gives the API document of the control plane',
  description: 'OpenAPI 3.1: this document. That of the interface is at /openapi.json.',
  method: 'GET',
  path: '/openapi.json',
  audit: { kind: 'read', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: ApiDocument },
  errors: [],
  openapiExamples: { response: { openapi: '3.1.0', paths: {} } },

  async handle(_input, { baseUrl, settings, state }) {
    const known = documents.get(state);
    if (known) return known;
    // Loaded for who asks; and it is made from all routes, of which this is one.
    const { buildControlDocument: controlDocument } = await import('../../openapi/control-document.ts');
    const options = { version: packageVersion, baseUrl, isRemote: settings.allowRemote };
    const document = controlDocument(options) as ApiDocument;
    documents.set(state, document);
    return document;
  },
});
