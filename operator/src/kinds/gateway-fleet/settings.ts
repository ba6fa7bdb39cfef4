import type { OperatorAccount } from '../../rbac.ts';

export interface ManagementEndpoint {
  /** `https://host:port`. */
  readonly url: string;
  /** The authorities of its certificate, as PEM. */
  readonly caPem: string;
}

/** Settings for all fleets of an installation. */
export interface FleetSettings {
  /** Gateway image of the operator's release. */
  readonly image: string;
  /** When nodes pull that image; absent: the default of the cluster. */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** The namespace of the operator, whose pods may call the admin port. */
  readonly operatorNamespace: string;
  /** The account that rights are granted to. */
  readonly operatorAccount: OperatorAccount;
  /** Namespaces whose pods may scrape metrics from the admin port. */
  readonly metricsNamespaces: readonly string[];
  /** Address ranges from which operators on the network of their nodes call the admin port. */
  readonly operatorCidrs?: readonly string[];
  /** Where the management API is; absent: there is none. */
  readonly management?: ManagementEndpoint | undefined;
  /** Namespaces of the organisation, its main one included: their fleets may serve any workspace. */
  readonly fleetNamespaces: ReadonlySet<string>;
}
