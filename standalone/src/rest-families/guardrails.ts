import { isObject } from '@gatehouse/crds';
import { checkEntryOf } from '@gatehouse/crds/guardrails';
import type { SpecOf } from '@gatehouse/crds/kinds';
import { guardrails } from '@gatehouse/crds/rest';
import type { Body, Credentials, Family, Missing, Path, View } from './family.ts';
import { DISPLAY_NAME, decodeFields, encodeFields, type Fields, pathIn, plain, withoutEmpty } from './fields.ts';

type Row = Readonly<Record<string, unknown>>;
type Check = SpecOf<'Guardrail'>['checks'][number];
type Actions = NonNullable<SpecOf<'Guardrail'>['actions']>;

const FIELDS: Fields = { ...DISPLAY_NAME, description: plain('description'), type: plain('type') };

/** The fields of the credential of a check that are secret. */
const secretFieldsOf = (id: string): readonly string[] =>
  checkEntryOf(id)?.credential?.fields.flatMap(({ name, secret }) => (secret ? [name] : [])) ?? [];

function encodeCheck(check: Check, credentials: Credentials, path: Path): Body {
  const { id, name, enabled, softDeny200, parametersSecretRef } = check;
  const parameters: Row = isObject(check.parameters) ? check.parameters : {};
  const hidden = (checkEntryOf(id)?.secretParameters ?? []).filter((member) => parameters[member] !== undefined);
  const entries =
    parametersSecretRef === undefined
      ? undefined
      : credentials.entries(parametersSecretRef.name, secretFieldsOf(id), [...path, 'parametersSecretRef']);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    is_enabled: enabled,
    ...(softDeny200 === undefined ? {} : { soft_deny_200: softDeny200 }),
    parameters: {
      ...parameters,
      ...Object.fromEntries(hidden.map((member) => [member, credentials.literal(parameters[member])])),
      ...(entries === undefined ? {} : { credentials: entries }),
    },
  };
}

/** All members are written: those that are left out would stay. */
function encodeActions(actions: Actions | undefined): Body | undefined {
  if (actions === undefined) return undefined;
  const { deny, async, sequential, softDeny200, mode, buffer, window, message, onSuccess, onFail } = actions;
  const isPlain = ![deny, async, sequential, softDeny200, buffer].includes(true) && mode === 'enforce';
  const more = { window, message, on_success: encodeOutcome(onSuccess), on_fail: encodeOutcome(onFail) };
  if (isPlain && Object.values(more).every((one) => one === undefined || one === null)) return undefined;
  const others = Object.entries(more).map(([member, value]) => [member, value ?? null]);
  return { deny, async, sequential, soft_deny_200: softDeny200, mode, buffer, ...Object.fromEntries(others) };
}

const encodeOutcome = (outcome: Actions['onFail']): Body | undefined =>
  outcome?.feedback === undefined ? undefined : { feedback: { ...outcome.feedback } };

function decodeActions(shown: unknown): Row | undefined {
  if (!isObject(shown)) return undefined;
  const { soft_deny_200: softDeny200, on_success, on_fail, ...rest } = shown;
  const onSuccess = decodeOutcome(on_success);
  const onFail = decodeOutcome(on_fail);
  const given = Object.entries({ ...rest, softDeny200, onSuccess, onFail }).filter(
    ([member, value]) => value !== undefined && value !== false && !(member === 'mode' && value === 'enforce'),
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The metadata of a feedback is a JSON text in answers. */
function decodeOutcome(shown: unknown): Row | undefined {
  const feedback = isObject(shown) ? shown['feedback'] : undefined;
  if (!isObject(feedback)) return undefined;
  const { value, weight, metadata } = feedback;
  const members = metadata === '' ? undefined : JSON.parse(String(metadata));
  return { feedback: withoutEmpty({ value, weight, metadata: members }) };
}

function decodeCheck(
  shown: Row,
  { name: owner, path, missing }: { name: string; path: Path; missing: Missing[] },
): Row {
  const { id, name, is_enabled: enabled, soft_deny_200: softDeny200 } = shown;
  const { credentials, ...parameters } = isObject(shown['parameters']) ? shown['parameters'] : {};
  const hidden = checkEntryOf(String(id))?.secretParameters ?? [];
  for (const member of hidden) {
    if (parameters[member] !== undefined) missing.push({ path: [...path, 'parameters', member] });
  }
  if (credentials !== undefined) {
    const keys = secretFieldsOf(String(id));
    for (const key of keys) missing.push({ path: [...path, 'parametersSecretRef'], secret: { name: owner, key } });
  }
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(enabled === false ? { enabled } : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(credentials === undefined ? {} : { parametersSecretRef: { name: owner } }),
    ...(softDeny200 === undefined ? {} : { softDeny200 }),
  };
}

function toSpec(view: View, missing: Missing[]): Row {
  const checks = Array.isArray(view['checks']) ? view['checks'].filter(isObject) : [];
  const actions = decodeActions(view['actions']);
  return {
    ...decodeFields(view, FIELDS),
    checks: checks.map((check, i) =>
      decodeCheck(check, { name: String(view['slug']), path: ['spec', 'checks', i], missing }),
    ),
    ...(actions === undefined ? {} : { actions }),
  };
}

const NAMES = { is_enabled: 'enabled', soft_deny_200: 'softDeny200', credentials: 'parametersSecretRef' } as const;

export const GUARDRAILS: Family<'Guardrail'> = {
  kind: 'Guardrail',
  operations: guardrails,
  isListShort: true,
  toBody: ({ checks, actions, ...spec }, context) => {
    const wanted = encodeActions(actions);
    return {
      ...encodeFields(spec, FIELDS, context),
      checks: checks.map((check, i) => encodeCheck(check, context.credentials, ['spec', 'checks', i])),
      ...(wanted === undefined ? {} : { actions: wanted }),
    };
  },
  toSpec,
  pathOf: (param) => pathIn(FIELDS)(param).map((step) => (step in NAMES ? NAMES[step as keyof typeof NAMES] : step)),
  unknown: [],
};
