/** GET /_iam/openapi.json */
import * as z from 'zod';
import { packageVersion } from '../../../contract/version.ts';
import { defineRoute } from '../define.ts';

const ApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

type ApiDocument = z.input<typeof ApiDocument>;

/** Cached by the state manager of each server and sandbox: building it takes longer than other responses. */
const documents = new WeakMap<object, ApiDocument>();

export default defineRoute({
  capability: 'read',
  id: 'control.openapi',
  title: 'Get the API document of the control plane',
  description: 'This document, in OpenAPI 3.1. The document of the interface is at /openapi.json.',
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
    // Loaded on demand, which also avoids an import cycle: the document is built from all routes, including this one.
    const { buildControlDocument } = await import('../../openapi/control-document.ts');
    const options = { version: packageVersion, baseUrl, isRemote: settings.allowRemote };
    const document = buildControlDocument(options) as ApiDocument;
    documents.set(state, document);
    return document;
  },
});
