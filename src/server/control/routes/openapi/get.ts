import * as z from 'zod';
import { defineRoute } from '../../define.ts';

const ApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

type ApiDocument = z.input<typeof ApiDocument>;

export default defineRoute({
  capability: 'read',
  id: 'control.openapi',
  title: 'Get the API document of the control plane',
  description: 'This document, in OpenAPI 3.1. The document of the interface is at /openapi.json.',
  method: 'GET',
  path: '/openapi.json',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: ApiDocument },
  errors: [],
  openapiExamples: { response: { openapi: '3.1.0', paths: {} } },

  handle: async (_input, { controlDocument }) => controlDocument() as ApiDocument,
});
