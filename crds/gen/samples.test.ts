import { describe, expect, test } from 'vitest';
import { KINDS } from '../src/kinds/index.ts';
import { ruleRegistry } from '../src/schema/index.ts';
import { schemaOf } from './crd.ts';
import { examplesOf, sampleObjects, toFileName } from './samples.ts';

test.for([
  { kind: 'ApiKey', want: 'api-key' },
  { kind: 'Guardrail', want: 'guardrail' },
  { kind: 'IntegrationAccess', want: 'integration-access' },
])('files of $kind are called $want', ({ kind, want }) => {
  expect(toFileName(kind)).toBe(want);
});

describe('a sample', () => {
  const objects = sampleObjects(KINDS.GatewayConfig);

  test('stands at the place of its rule, in a whole object', () => {
    const sample = objects.find(({ valid, expect: field }) => !valid && field === 'spec.config.targets[0].strategy');
    expect(sample?.object).toMatchObject({
      kind: 'GatewayConfig',
      metadata: { name: 'standard' },
      spec: { config: { targets: [sample?.rule.invalid[0], expect.anything()] } },
    });
  });

  test('exists on both sides of every rule of every Kind', () => {
    for (const kind of Object.values(KINDS)) {
      for (const { rule } of schemaOf(kind).rules) {
        expect(rule.valid.length).toBeGreaterThan(0);
        expect(rule.invalid.length).toBeGreaterThan(0);
      }
    }
  });

  test('of a rule about the whole object is the whole object', () => {
    const [rule] = ruleRegistry.get(KINDS.Organisation.resource)?.rules ?? [];
    const whole = sampleObjects(KINDS.Organisation).filter((sample) => sample.rule === rule);
    expect(whole.map(({ object }) => object)).toEqual([...(rule?.valid ?? []), ...(rule?.invalid ?? [])]);
  });
});

test('an example says what it breaks and who notices', () => {
  const byName = new Map(examplesOf(KINDS.ApiKey).map((example) => [example.name, example]));
  expect(byName.get('invalid-scope')).toMatchObject({ valid: false, expect: 'spec.scopes[1]', webhookOnly: true });
  expect(byName.get('invalid-hash')).toMatchObject({ valid: false, expect: 'spec.sha256', webhookOnly: false });
  expect(byName.get('valid')).toMatchObject({ valid: true, expect: undefined, webhookOnly: false });
});
