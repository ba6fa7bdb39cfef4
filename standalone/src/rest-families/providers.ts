import { isObject } from '@gatehouse/crds';
import { providers } from '@gatehouse/crds/rest';
import type { Family } from './family.ts';
import { DISPLAY_NAME, decodeFields, encodeFields, type Fields, pathIn, plain } from './fields.ts';
import { LIMIT_FIELDS, settleLimits } from './limits.ts';

const FIELDS: Fields = {
  ...DISPLAY_NAME,
  description: plain('note'),
  integrationRef: {
    rest: 'integration_id',
    encode: (value) => (isObject(value) ? value['name'] : undefined),
    decode: (shown) => ({ name: shown }),
  },
  ...LIMIT_FIELDS,
  expiresAt: plain('expires_at'),
};

export const PROVIDERS: Family<'Provider'> = {
  kind: 'Provider',
  operations: providers,
  toBody: (spec, context) => encodeFields(spec, FIELDS, context),
  toSpec: (view) => decodeFields(view, FIELDS),
  pathOf: pathIn(FIELDS),
  settle: settleLimits,
  unknown: ['inspectStreamForOverload'],
};
