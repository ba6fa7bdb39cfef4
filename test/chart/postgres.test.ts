/** PostgreSQL of the chart, and how the management API gets to a database. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FLAGS } from '../../operator/src/config/index.ts';
import { at, find, idOf, NAMESPACE, render, type Values } from './helm.ts';
import { EVERYTHING, SIGN_IN } from './values.ts';

const OTHER = { urlSecretRef: { name: 'database', key: 'url' } };
const WITHOUT_LOG: Values = { records: { postgres: { enabled: false } } };
const PASSWORD = { secretKeyRef: { name: 'gatehouse-postgres-password', key: 'password' } };
const variable = z.looseObject({ name: z.string() });

/** The container of the management API, and its variables about the database. */
async function managementOf(values: Values) {
  const objects = await render(values);
  const pod = at(find(objects, `Deployment/${NAMESPACE}/gatehouse-management`), 'spec.template.spec');
  const env = z.array(variable).parse(at(pod, 'containers.0.env'));
  return { objects, pod, env: env.filter(({ name }) => name.startsWith('DATABASE_')) };
}

const idsOf = async (values: Values): Promise<string[]> =>
  (await render(values)).map(idOf).filter((id) => id.includes('postgres'));

describe('PostgreSQL', () => {
  test('is there for the management API alone, until it has another one or none', async () => {
    expect(await idsOf({ management: { enabled: false } })).toEqual([]);
    expect(await idsOf({ postgres: { enabled: false } })).toEqual([]);
    expect(await idsOf({ postgres: OTHER })).toEqual([]);
    const all = [
      `NetworkPolicy/${NAMESPACE}/gatehouse-postgres`,
      `Secret/${NAMESPACE}/gatehouse-postgres-password`,
      `Service/${NAMESPACE}/gatehouse-postgres`,
      `StatefulSet/${NAMESPACE}/gatehouse-postgres`,
    ];
    expect((await idsOf(WITHOUT_LOG)).sort()).toEqual(all);
    expect((await idsOf({})).sort()).toEqual([...all, 'Secret/gatehouse-gateways/gatehouse-postgres'].sort());
  });

  test('starts with a password that is not in the chart', async () => {
    const { objects, env } = await managementOf({});
    const server = find(objects, `StatefulSet/${NAMESPACE}/gatehouse-postgres`);
    const variables = z.array(variable).parse(at(server, 'spec.template.spec.containers.0.env'));
    expect(variables).toContainEqual({ name: 'POSTGRES_PASSWORD', valueFrom: PASSWORD });
    const shell = find(objects, `Secret/${NAMESPACE}/gatehouse-postgres-password`);
    expect(Object.keys(shell).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    // Kubernetes replaces what a variable before it has.
    expect(env).toEqual([
      { name: 'DATABASE_PASSWORD', valueFrom: PASSWORD },
      {
        name: 'DATABASE_URL',
        value: `postgres://gatehouse:$(DATABASE_PASSWORD)@gatehouse-postgres.${NAMESPACE}.svc:5432/gatehouse`,
      },
    ]);
  });

  test('keeps its volume and its password when the chart is removed, unless it has no volume', async () => {
    const server = `StatefulSet/${NAMESPACE}/gatehouse-postgres`;
    const secret = `Secret/${NAMESPACE}/gatehouse-postgres-password`;
    const kept = await render();
    expect(at(find(kept, server), 'spec.persistentVolumeClaimRetentionPolicy')).toEqual({ whenDeleted: 'Retain' });
    expect(find(kept, secret).metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    const lost = await render({ postgres: { persistence: { enabled: false } } });
    expect(at(find(lost, server), 'spec.volumeClaimTemplates')).toBeUndefined();
    expect(at(find(lost, server), 'spec.template.spec.volumes')).toContainEqual({ name: 'data', emptyDir: {} });
    expect(find(lost, secret).metadata.annotations).toBeUndefined();
  });

  test('admits the management API alone where it has no log, and connects to nobody', async () => {
    const { objects } = await managementOf({ ...WITHOUT_LOG, networkPolicies: { egress: { enabled: true } } });
    const policyOf = (name: string) => at(find(objects, `NetworkPolicy/${NAMESPACE}/${name}`), 'spec');
    const pods = (part: string) => ({
      podSelector: {
        matchLabels: { 'app.kubernetes.io/name': `gatehouse-${part}`, 'app.kubernetes.io/instance': 'gatehouse' },
      },
    });
    const ports = [{ port: 'postgres' }];
    expect(policyOf('gatehouse-postgres')).toEqual({
      ...pods('postgres'),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [pods('management')], ports }],
    });
    expect(at(policyOf('gatehouse-management'), 'egress')).toContainEqual({ to: [pods('postgres')], ports });
  });
});

describe('the request log', () => {
  const OWN = { postgres: { urlSecretRef: { name: 'gatehouse-postgres', key: 'logsUrl' }, maxMebibytes: 5_120 } };
  const THEIRS = { urlSecretRef: { name: 'logs', key: 'url' } };
  const asked = (values: Values = {}): Values => ({ records: { ...values, postgres: { enabled: true } } });

  /** What the fleet says of it, and whether the chart's PostgreSQL has an account for it. */
  async function logOf(values: Values) {
    const objects = await render(values);
    const fleet = objects.find(({ kind }) => kind === 'GatewayFleet');
    const hasAccount = objects.some((object) => idOf(object) === 'Secret/gatehouse-gateways/gatehouse-postgres');
    const management = objects.find((object) => idOf(object) === `Deployment/${NAMESPACE}/gatehouse-management`);
    expect(JSON.stringify(management)?.includes('GATEHOUSE_LOGS_ACCOUNT_PASSWORD') ?? false).toBe(hasAccount);
    return { fleet: at(fleet, 'spec.records'), hasAccount };
  }

  test.for<{ rule: string; values: Values; fleet?: unknown; hasAccount: boolean }>([
    { rule: "is in the chart's PostgreSQL by default", values: {}, fleet: OWN, hasAccount: true },
    { rule: 'is there where it is asked for', values: asked(), fleet: OWN, hasAccount: true },
    { rule: 'is nowhere where nobody wants it', values: WITHOUT_LOG, hasAccount: false },
    {
      rule: 'keeps what the fleet says besides',
      values: { defaultFleet: { spec: { records: { retentionDays: 7 } } } },
      ...{ fleet: { ...OWN, retentionDays: 7 }, hasAccount: true },
    },
    { rule: 'is nowhere without the management API', values: { management: { enabled: false } }, hasAccount: false },
    { rule: 'is nowhere without a PostgreSQL', values: { postgres: { enabled: false } }, hasAccount: false },
    { rule: 'is not put into a PostgreSQL of others', values: { postgres: OTHER }, hasAccount: false },
    { rule: 'is not kept without a fleet', values: { defaultFleet: { enabled: false } }, hasAccount: false },
    {
      rule: 'is in another PostgreSQL',
      values: { records: { postgres: THEIRS } },
      ...{ fleet: { postgres: THEIRS }, hasAccount: false },
    },
    {
      rule: 'is in another PostgreSQL beside one for people',
      values: { postgres: OTHER, records: { postgres: THEIRS } },
      ...{ fleet: { postgres: THEIRS }, hasAccount: false },
    },
    {
      rule: 'is in ClickHouse',
      values: { records: { clickhouse: THEIRS } },
      ...{ fleet: { clickhouse: THEIRS }, hasAccount: false },
    },
    {
      rule: 'is in ClickHouse first',
      values: asked({ clickhouse: THEIRS }),
      ...{ fleet: { clickhouse: THEIRS }, hasAccount: true },
    },
    {
      rule: 'is where the fleet says',
      values: { defaultFleet: { spec: { records: { clickhouse: THEIRS } } } },
      ...{ fleet: { clickhouse: THEIRS }, hasAccount: false },
    },
  ])('$rule', async ({ values, fleet, hasAccount }) => expect(await logOf(values)).toEqual({ fleet, hasAccount }));

  test('has an account whose password is not in the chart, and gateways may connect', async () => {
    const objects = await render();
    const shell = find(objects, 'Secret/gatehouse-gateways/gatehouse-postgres');
    expect(Object.keys(shell).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(shell.metadata.labels).toMatchObject({ 'gatehouse.dev/postgres': 'embedded' });
    const pod = at(find(objects, `Deployment/${NAMESPACE}/gatehouse-management`), 'spec.template.spec');
    const env = z.array(variable).parse(at(pod, 'containers.0.env'));
    expect(env.filter(({ name }) => name.startsWith('GATEHOUSE_LOGS_'))).toEqual([
      {
        name: 'GATEHOUSE_LOGS_ACCOUNT_PASSWORD',
        valueFrom: { secretKeyRef: { name: 'gatehouse-postgres-password', key: 'logsPassword' } },
      },
      {
        name: 'GATEHOUSE_LOGS_DATABASE_URL',
        value: `postgres://gateway_logs:$(GATEHOUSE_LOGS_ACCOUNT_PASSWORD)@gatehouse-postgres.${NAMESPACE}.svc:5432/gatehouse`,
      },
    ]);
    const policy = find(objects, `NetworkPolicy/${NAMESPACE}/gatehouse-postgres`);
    expect(at(policy, 'spec.ingress.0.from')).toContainEqual({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gatehouse-gateways' } },
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'gatehouse-gateway' } },
    });
  });

  test.for<[rule: string, values: Values]>([
    ['the management API', { management: { enabled: false } }],
    ['its PostgreSQL', { postgres: { enabled: false } }],
    ['no other PostgreSQL', { postgres: OTHER }],
  ])('is refused there without %s, where it is asked for', async ([, values]) => {
    const rendered = render({ ...asked(), ...values });
    await expect(rendered).rejects.toThrow(/records\.postgres\.enabled=true needs the PostgreSQL of the chart/);
  });
});

describe('the management API', () => {
  test('uses another PostgreSQL by its URL, and its authorities', async () => {
    const { env, pod } = await managementOf({ postgres: { ...OTHER, caConfigMap: 'authorities' } });
    expect(env).toEqual([{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: OTHER.urlSecretRef } }]);
    expect(at(pod, 'containers.0.args')).toContain('--database-ca-file=/var/run/secrets/gatehouse/database/ca.crt');
    expect(at(pod, 'containers.0.volumeMounts')).toContainEqual({
      ...{ name: 'database-ca', mountPath: '/var/run/secrets/gatehouse/database', readOnly: true },
    });
    expect(at(pod, 'volumes')).toContainEqual({
      name: 'database-ca',
      configMap: { name: 'authorities', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
    });
  });

  test('lets people sign in with a secret that is not in the chart', async () => {
    const objects = await render({ management: { signIn: SIGN_IN } });
    const pod = at(find(objects, `Deployment/${NAMESPACE}/gatehouse-management`), 'spec.template.spec');
    const env = z.array(variable).parse(at(pod, 'containers.0.env'));
    const known = Object.values(FLAGS).flatMap((flag) => ('variable' in flag ? [flag.variable] : []));
    const about = /^GATEHOUSE_(OIDC|SESSION|PUBLIC)_/;
    const given = env.filter(({ name }) => about.test(name));
    expect(given.map(({ name }) => name).sort()).toEqual(known.filter((name) => about.test(name)).sort());
    const valueFrom = { secretKeyRef: SIGN_IN.clientSecretRef };
    expect(given).toContainEqual({ name: 'GATEHOUSE_OIDC_CLIENT_SECRET', valueFrom });
    const plain = await managementOf({});
    expect(JSON.stringify(plain.pod)).not.toContain('OIDC');
  });

  test('keeps audit records for ever, or for the days that it is told', async () => {
    const daysOf = async (values: Values) => {
      const objects = await render({ management: values });
      const pod = at(find(objects, `Deployment/${NAMESPACE}/gatehouse-management`), 'spec.template.spec');
      const env = z.array(variable).parse(at(pod, 'containers.0.env'));
      return env.find(({ name }) => name === FLAGS['audit-retention-days'].variable)?.['value'];
    };
    expect([await daysOf({}), await daysOf({ auditRetentionDays: 365 })]).toEqual(['0', '365']);
    await expect(daysOf({ auditRetentionDays: 36_501 })).rejects.toThrow(/auditRetentionDays/);
  });

  test('has no database where there is none', async () => {
    expect((await managementOf({ postgres: { enabled: false } })).env).toEqual([]);
  });

  test('connects to what its own rules add', async () => {
    const rule = { to: [{ ipBlock: { cidr: '10.0.8.0/24' } }] };
    const objects = await render({ ...EVERYTHING, networkPolicies: { egress: { enabled: true, management: [rule] } } });
    const egressOf = (name: string) => at(find(objects, `NetworkPolicy/${NAMESPACE}/${name}`), 'spec.egress');
    expect(egressOf('gatehouse-management')).toContainEqual(rule);
    expect(egressOf('gatehouse-operator')).not.toContainEqual(rule);
  });
});
