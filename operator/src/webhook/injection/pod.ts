/** The parts of a pod that the injector reads or writes; all others are passed through. */

export interface EnvVar {
  readonly name: string;
  readonly [member: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly env?: readonly EnvVar[] | undefined;
  readonly envFrom?: readonly unknown[] | undefined;
  readonly ports?: readonly { readonly containerPort: number; readonly [member: string]: unknown }[] | undefined;
  readonly [member: string]: unknown;
}

export interface Volume {
  readonly name: string;
  readonly [member: string]: unknown;
}

export interface Pod {
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly generateName?: string | undefined;
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly annotations?: Readonly<Record<string, string>> | undefined;
        readonly [member: string]: unknown;
      }
    | undefined;
  readonly spec: {
    readonly hostNetwork?: boolean | undefined;
    readonly initContainers?: readonly Container[] | undefined;
    readonly containers: readonly Container[];
    readonly volumes?: readonly Volume[] | undefined;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}
