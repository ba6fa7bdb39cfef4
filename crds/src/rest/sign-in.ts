/** Signing in with an identity provider, for browsers: docs/behaviour/sign-in.md. */
import { z } from 'zod';
import { ORGANISATION_ROLES, WORKSPACE_ROLES } from '../kinds/roles.ts';
import { defineOperation } from './operation.ts';
import { dateTime, emptyObject, uuid } from './shapes.ts';

const MAX_PATH = 2_048;
const MAX_PARAMETER = 4_096;
const parameter = z.string().max(MAX_PARAMETER).optional();

export const signIn = {
  login: defineOperation({
    id: 'auth.login',
    method: 'GET',
    path: '/auth/login',
    summary: 'Begins to sign in: leads the browser to the identity provider.',
    scopes: [],
    isPublic: true,
    status: 302,
    query: z.strictObject({ return_to: z.string().max(MAX_PATH).optional() }),
  }),
  callback: defineOperation({
    id: 'auth.callback',
    method: 'GET',
    path: '/auth/callback',
    summary: 'Where the identity provider leads the browser back to: begins a session.',
    scopes: [],
    isPublic: true,
    isAudited: true,
    status: 302,
    // Providers add parameters of their own.
    query: z.looseObject({ code: parameter, state: parameter, iss: parameter, error: parameter }),
  }),
  session: defineOperation({
    id: 'auth.session',
    method: 'GET',
    path: '/auth/session',
    summary: 'Reads who is signed in, and what the person may do.',
    scopes: [],
    isPublic: true,
    answer: z.object({
      object: z.literal('session'),
      user: z.object({
        id: uuid,
        email: z.string(),
        first_name: z.string(),
        last_name: z.string(),
        role: z.enum(ORGANISATION_ROLES),
      }),
      workspaces: z.array(z.object({ id: z.string(), slug: z.string(), role: z.enum(WORKSPACE_ROLES) })),
      created_at: dateTime,
      expires_at: dateTime,
    }),
  }),
  logout: defineOperation({
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
    summary: 'Ends the session.',
    scopes: [],
    isPublic: true,
    body: z.strictObject({}),
    answer: emptyObject,
  }),
} as const;
