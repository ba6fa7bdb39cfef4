import { HEADER_ALIAS, MAX_HEADER_ALIAS, MAX_HEADER_ALIASES, TAKEN_PREFIXES } from '../../headers/index.ts';
import { pattern, type Rule, setList, withRules } from '../../schema/index.ts';

const RULES: readonly Rule<readonly string[]>[] = [
  {
    cel: `!self.exists(prefix, prefix in [${TAKEN_PREFIXES.map((prefix) => `'${prefix}'`).join(', ')}])`,
    message: `${TAKEN_PREFIXES.join(', ')} are prefixes of headers that have another meaning`,
    holds: (prefixes) => !prefixes.some((prefix) => TAKEN_PREFIXES.includes(prefix)),
    valid: [[], ['x-portkey-', 'x-acme-']],
    invalid: [['x-acme-', 'x-amz-'], ['x-gw-']],
  },
];

/** Other prefixes for the gateway's own headers. */
export const headerAliases = withRules(
  setList(
    pattern(HEADER_ALIAS, 'a prefix of one word, like x-acme-', MAX_HEADER_ALIAS),
    'headerAliases are further prefixes for the headers of the gateway: with x-acme-, x-acme-config is x-gw-config. Answers to requests that use one have their headers under both names.',
    MAX_HEADER_ALIASES,
  ),
  RULES,
);
