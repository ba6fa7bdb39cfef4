/** The child's side of `runTask`: does the one task it is sent, answers, and leaves with its parent. */
export function answerTask<T, R>(run: (task: T) => Promise<R>): void {
  process.once('disconnect', () => process.exit(0));
  process.once('message', (task) => {
    run(task as T).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
