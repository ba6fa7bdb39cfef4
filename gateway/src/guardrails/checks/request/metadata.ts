import {
  requiredMetadataKeyPairs as requiredMetadataKeyPairsEntry,
  requiredMetadataKeys as requiredMetadataKeysEntry,
} from '@gatehouse/crds/guardrails';
import { tooCostly } from '../../answers.ts';
import { type CheckAnswer, defineCheck } from '../../contract.ts';
import { compileValues, textsOf } from '../../matched-values.ts';
import { onlyOnInput } from './only-on-input.ts';

type Operator = 'all' | 'any' | 'none';

const PASSES: Readonly<Record<Operator, (found: number, missing: number) => boolean>> = {
  all: (_, missing) => missing === 0,
  any: (found) => found > 0,
  none: (found) => found === 0,
};

export const requiredMetadataKeys = defineCheck(requiredMetadataKeysEntry, ({ metadataKeys, operator }) =>
  onlyOnInput(({ metadata }) => {
    const found = metadataKeys.filter((key) => Object.hasOwn(metadata, key));
    return answer('keys', metadataKeys, { found, operator });
  }),
);

export const requiredMetadataKeyPairs = defineCheck(
  requiredMetadataKeyPairsEntry,
  ({ metadataPairs, operator, matchType }) => {
    const keys = Object.keys(metadataPairs);
    const tests = Object.entries(metadataPairs).map(
      ([key, values]) => [key, compileValues(values, matchType)] as const,
    );
    return onlyOnInput(async ({ metadata }, { regex }) => {
      const found: string[] = [];
      for (const [key, holds] of tests) {
        const verdict = Object.hasOwn(metadata, key) && (await holds(textsOf(metadata[key]), regex));
        if (verdict === 'exhausted') return tooCostly();
        if (verdict) found.push(key);
      }
      return answer('pairs', keys, { found, operator });
    });
  },
);

interface Found {
  readonly found: readonly string[];
  readonly operator: Operator;
}

function answer(what: 'keys' | 'pairs', wanted: readonly string[], { found, operator }: Found): CheckAnswer {
  const missing = wanted.filter((key) => !found.includes(key));
  const explanation = `The metadata has ${found.length} of ${wanted.length} ${what}; '${operator}' of them must be there.`;
  return {
    verdict: PASSES[operator](found.length, missing.length),
    data: { explanation, missing_metadata_keys: missing, found_metadata_keys: found, operator },
  };
}
