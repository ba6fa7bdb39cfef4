import type { CommonFields, KindConfig, SecretRef } from './target.ts';

/**
 * The form of a config after parsing, whether it came from a header, a resource or a Snapshot entry: camelCase members, vendor
 * fields as text under `settings`, at most one credential.
 */
export interface RoutingNode extends CommonFields {
  readonly targets?: readonly RoutingNode[] | undefined;
  /** Vendor fields by their catalogue name. Inline configs may carry secrets here. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** The literal API key of an inline config. */
  readonly apiKey?: string | undefined;
  /** The id of a credential entry of the Snapshot. */
  readonly credential?: string | undefined;
}

/**
 * The node of a config in a resource. `credentialOf` returns the id of the credential entry for a reference; it is called once per
 * target that has one, with the target's path below the root.
 */
export function routingNodeOf(
  config: KindConfig,
  credentialOf: (ref: SecretRef, path: readonly (string | number)[]) => string,
  path: readonly (string | number)[] = [],
): RoutingNode {
  const { secretRef, targets, ...rest } = config;
  return {
    ...rest,
    ...(secretRef === undefined ? {} : { credential: credentialOf(secretRef, path) }),
    ...(targets === undefined
      ? {}
      : { targets: targets.map((target, i) => routingNodeOf(target, credentialOf, [...path, 'targets', i])) }),
  };
}

/** Ids of the credential entries that the targets of a config name; without those of managed providers. */
export function credentialsIn({ credential, targets = [] }: RoutingNode): readonly string[] {
  return [...(credential === undefined ? [] : [credential]), ...targets.flatMap(credentialsIn)];
}
