/** Policies of rates and of budgets. */
import { isObject } from '@gatehouse/crds';
import { ratePolicies, usagePolicies } from '@gatehouse/crds/rest';
import type { Family } from './family.ts';
import { DISPLAY_NAME, decodeFields, encodeFields, type Field, type Fields, pathIn, plain } from './fields.ts';
import { BUDGET_FIELDS } from './limits.ts';

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The values of a condition are `values` in resources. */
const CONDITIONS: Field = {
  rest: 'conditions',
  encode: (value) =>
    rowsOf(value).map(({ values, ...rest }) => ({ ...rest, ...(values === undefined ? {} : { value: values }) })),
  decode: (shown) =>
    rowsOf(shown).map(({ value, ...rest }) => ({ ...rest, ...(value === undefined ? {} : { values: value }) })),
};

const SELECTION: Fields = {
  ...DISPLAY_NAME,
  description: plain('description'),
  conditions: CONDITIONS,
  groupBy: plain('group_by'),
  type: plain('type'),
};

const RATE_FIELDS: Fields = { ...SELECTION, target: plain('target'), unit: plain('unit'), value: plain('value') };
const USAGE_FIELDS: Fields = { ...SELECTION, ...BUDGET_FIELDS };

export const RATE_LIMIT_POLICIES: Family<'RateLimitPolicy'> = {
  kind: 'RateLimitPolicy',
  operations: ratePolicies,
  toBody: (spec, context) => encodeFields(spec, RATE_FIELDS, context),
  toSpec: (view) => decodeFields(view, RATE_FIELDS),
  pathOf: pathIn(RATE_FIELDS),
  unknown: [],
};

export const USAGE_LIMIT_POLICIES: Family<'UsageLimitPolicy'> = {
  kind: 'UsageLimitPolicy',
  operations: usagePolicies,
  toBody: (spec, context) => encodeFields(spec, USAGE_FIELDS, context),
  toSpec: (view) => decodeFields(view, USAGE_FIELDS),
  pathOf: pathIn(USAGE_FIELDS),
  unknown: [],
};
