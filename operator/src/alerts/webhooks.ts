/** The webhooks that the Organisation names, and the keys that sign for them. */
import { isObject } from '@gatehouse/crds';
import type { Organisation } from '@gatehouse/crds/kinds';
import { type KubeObject, keyOf, type NamedWatches } from '../runtime/index.ts';
import type { AlertWebhook } from './alert-sender.ts';

interface KeySecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

export interface AlertWebhooksOptions {
  readonly organisation: () => KubeObject | undefined;
  readonly secrets: Pick<NamedWatches<KeySecret>, 'want' | 'store'>;
  /** Holds the Secrets. */
  readonly organisationNamespace: string;
}

export interface AlertWebhooks {
  list(): readonly AlertWebhook[];
  /** To be called when the Organisation has changed. */
  update(): void;
}

type Row = NonNullable<Organisation['spec']['alertWebhooks']>[number];

export function alertWebhooks({
  organisation,
  secrets,
  organisationNamespace: namespace,
}: AlertWebhooksOptions): AlertWebhooks {
  const rows = (): readonly Row[] => rowsOf(organisation());
  return {
    list: () =>
      rows().map(({ name, url, secretRef }) => {
        const encoded = secrets.store.get(keyOf({ namespace, name: secretRef.name }))?.data?.[secretRef.key];
        return { name, url, key: encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8') };
      }),
    update: () => {
      const keys = rows().map(({ secretRef }) => keyOf({ namespace, name: secretRef.name }));
      secrets.want({ id: 'alert-webhooks', share: undefined }, new Set(keys));
    },
  };
}

function rowsOf(organisation: KubeObject | undefined): readonly Row[] {
  const spec = organisation !== undefined && 'spec' in organisation ? organisation.spec : undefined;
  const rows = isObject(spec) ? spec['alertWebhooks'] : undefined;
  return Array.isArray(rows) ? rows.filter(isRow) : [];
}

/** The schema has been checked by the API server. */
const isRow = (row: unknown): row is Row =>
  isObject(row) &&
  typeof row['name'] === 'string' &&
  typeof row['url'] === 'string' &&
  isObject(row['secretRef']) &&
  typeof row['secretRef']['name'] === 'string' &&
  typeof row['secretRef']['key'] === 'string';
