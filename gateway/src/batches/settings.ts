/** What files and batches of the gateway's own may be. */
export interface BatchSettings {
  /** Of a file. */
  readonly maxFileBytes: number;
  /** Of a workspace. */
  readonly maxFiles: number;
  /** Of a batch. */
  readonly maxRows: number;
  /** Of one line of an input file. */
  readonly maxRowBytes: number;
  /** Of a workspace, that have not ended. */
  readonly maxOpenBatches: number;
  /** Files and batches are deleted after so long, in ms. */
  readonly retentionMs: number;
  /** Providers may run batches whose window is 24h. */
  readonly atProviders: boolean;
  /** Rows of one batch that are asked for at the same time. */
  readonly rowsPerBatch: number;
  /** Rows of all batches that this process asks for at the same time; 0: it works on none. */
  readonly rowsPerProcess: number;
}
