/** What the declarations of all pages of a login share. */
import * as z from 'zod';
import { sensitive } from '../../contract/sensitive.ts';

export const pageTraits = {
  mount: 'base',
  auth: 'none',
  roles: 'none',
  response: { status: 200, body: z.string().meta({ examples: ['<!doctype html>'] }), alternatives: ['text/html'] },
  errorFormat: 'page',
} as const;

/** Of pages that read the cookie of the browser. */
export const browserHeaders = {
  cookie: sensitive(z.string(), 'secret')
    .optional()
    .meta({ description: 'The cookie of the browser', examples: ['iam-0a1b2c3d4e5f=c2VjcmV0'] }),
};
