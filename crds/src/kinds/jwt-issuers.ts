/** What neither schema nor CEL can check of issuers of tokens. */
import type { z } from 'zod';
import { createSuggestions } from '../lib/suggestions.ts';
import type { Issue } from '../schema/index.ts';
import { parseJwks } from './jwks.ts';
import type { jwtIssuers } from './parts/index.ts';
import { scopeProblem } from './scopes.ts';

type Issuers = z.output<typeof jwtIssuers>;

/** A token acts as a key of a workspace, so that it can have the scopes of one. */
function scopeIssues(issuers: Issuers): Issue[] {
  const suggest = createSuggestions();
  return issuers.flatMap((issuer, i) =>
    (['scopes', 'defaultScopes'] as const).flatMap((field) =>
      (issuer[field] ?? []).flatMap((scope, j): Issue[] => {
        const message = scopeProblem(scope, 'workspace-service', suggest);
        return message === undefined ? [] : [issuerIssue([i, field, j], message)];
      }),
    ),
  );
}

const keyIssues = (issuers: Issuers): Issue[] =>
  issuers.flatMap(({ jwks }, i) => {
    const read = jwks === undefined ? undefined : parseJwks(jwks);
    return read === undefined || read.ok ? [] : [issuerIssue([i, 'jwks'], read.error)];
  });

const issuerIssue = (path: Issue['path'], message: string): Issue => ({
  code: 'invalid',
  path: ['spec', 'jwtIssuers', ...path],
  message,
});

/** Scopes that a key of a workspace cannot have, and keys that no signature can be checked with. */
export const jwtIssuerIssues = (issuers: Issuers): Issue[] => [...scopeIssues(issuers), ...keyIssues(issuers)];
