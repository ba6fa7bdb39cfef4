import type { ApiAddress, ApiClient } from './client.ts';

/** An installation whose management API is asked. */
export interface ManagementWorld extends ApiAddress, AsyncDisposable {
  /** Slug of a workspace without objects; the key of the address is one of the organisation that may do everything. */
  readonly workspace: string;
  /** Slug and namespace that a new workspace may have. */
  readonly spare: string;
  /** Until what was written is known everywhere: a deletion is refused by who knows the users of the object. */
  settled(): Promise<void>;
  /** Everything that the installation keeps and prints: what is in Secrets, and all other texts. */
  texts(): Promise<{ readonly secrets: string; readonly others: readonly string[] }>;
  /** Takes the database of people away. */
  stopDatabase?(): Promise<void>;
}

export interface ApiStage {
  readonly world: ManagementWorld;
  readonly client: ApiClient;
}

export type StageOf = () => ApiStage;
