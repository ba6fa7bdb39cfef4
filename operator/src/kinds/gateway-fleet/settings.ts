import type { OperatorAccount } from '../../rbac.ts';

/** What holds for all fleets of an installation. */
export interface FleetSettings {
  /** Gateway image of the operator's own release. */
  readonly image: string;
  /** When nodes pull that image; absent: as the cluster decides. */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** Where the operator runs; its pods may call the admin port. */
  readonly operatorNamespace: string;
  /** Whom rights are granted to. */
  readonly operatorAccount: OperatorAccount;
  /** Namespaces whose pods may scrape metrics from the admin port. */
  readonly metricsNamespaces: readonly string[];
  /** Namespaces in the organisation's hands, its own included: their fleets may serve any workspace. */
  readonly fleetNamespaces: ReadonlySet<string>;
}
