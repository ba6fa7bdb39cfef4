import type { Rule } from '../../schema/index.ts';
import { API_VERSION } from './define.ts';
import type { ObjectMeta } from './object-meta.ts';

/** Names from which the operator derives Service names (RFC 1035 label, 63 characters): 23 are left for suffixes. */
const SHORT_NAME = /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/;

/** The rule for Kinds whose name becomes part of other names; `spec` is a minimal valid one. */
export function shortNameRule(kind: string, spec: object): Rule<{ readonly metadata: ObjectMeta }> {
  const named = (name: string) => ({ apiVersion: API_VERSION, kind, metadata: { name }, spec });
  return {
    cel: `self.metadata.name.matches('${SHORT_NAME.source}')`,
    message:
      'the name is used in names of other objects: at most 40 letters, digits and dashes, beginning with a letter',
    at: 'metadata.name',
    holds: ({ metadata }) => SHORT_NAME.test(metadata.name),
    valid: [named('default'), named('a')],
    invalid: [named('a.b'), named('1st'), named(`a${'b'.repeat(40)}`)],
  };
}
