/** What an import has made so far. */
import { API_VERSION } from '@gatehouse/crds/kinds';
import { variableOf } from '../resource-folder/index.ts';

export interface Unmapped {
  /** In the file that is imported, e.g. `model_list[0].litellm_params.mode`. */
  readonly path: string;
  readonly reason: string;
}

export interface Imported {
  /** Without credentials. */
  readonly resources: readonly object[];
  /** Literal credentials of the file: they belong into a file that only its owner reads. */
  readonly secrets: readonly object[];
  readonly unmapped: readonly Unmapped[];
  /** What has to be supplied, one sentence each. */
  readonly supply: readonly string[];
}

export interface Collected {
  add(kind: 'GatewayConfig' | 'VirtualKey', name: string, spec: object): void;
  skip(path: string, reason: string): void;
  /** The entry of a Secret for a credential as the file has it. */
  credential(name: string, key: string, value: unknown): { readonly name: string; readonly key: string };
  /** A name of an object that none has yet. */
  nameFor(text: string): string;
  done(): Imported;
}

/** A reference to the environment, as LiteLLM writes it. */
const ENVIRONMENT = /^os\.environ\/(\w+)$/;
/** Leaves room for a number. */
const MAX_NAME = 50;

export function createCollected(): Collected {
  const resources: object[] = [];
  const secrets = new Map<string, Record<string, string>>();
  const unmapped: Unmapped[] = [];
  const supply: string[] = [];
  const names = new Set<string>();
  return {
    add: (kind, name, spec) => resources.push({ apiVersion: API_VERSION, kind, metadata: { name }, spec }),
    skip: (path, reason) => unmapped.push({ path, reason }),
    credential: (name, key, value) => {
      const variable = typeof value === 'string' ? ENVIRONMENT.exec(value)?.[1] : undefined;
      if (typeof value === 'string' && value !== '' && variable === undefined) {
        secrets.set(name, { ...secrets.get(name), [key]: value });
      } else {
        const from = variable === undefined ? '' : `, which was ${variable}`;
        supply.push(`set ${variableOf(name, key)}, or write the entry ${key} of the Secret ${name}${from}`);
      }
      return { name, key };
    },
    nameFor: (text) => {
      const plain = text
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .slice(0, MAX_NAME)
        .replaceAll(/^-+|-+$/g, '');
      const stem = plain === '' ? 'imported' : plain;
      let name = stem;
      for (let number = 2; names.has(name); number += 1) name = `${stem}-${number}`;
      names.add(name);
      return name;
    },
    done: () => ({
      resources,
      secrets: [...secrets].map(([name, stringData]) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        stringData,
      })),
      unmapped,
      supply,
    }),
  };
}
