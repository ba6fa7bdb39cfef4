import type { ApiAddress, ApiClient } from './client.ts';

/** An installation whose management API is asked. */
export interface ManagementWorld extends ApiAddress, AsyncDisposable {
  /** Slug of a workspace without objects; the key of the address is one of the organisation that may do everything. */
  readonly workspace: string;
  /** Makes a namespace that a new workspace may have. */
  makeNamespace(name: string): Promise<void>;
  /** Takes the database of people away. */
  stopDatabase?(): Promise<void>;
}

export interface ApiStage {
  readonly world: ManagementWorld;
  readonly client: ApiClient;
}

export type StageOf = () => ApiStage;
