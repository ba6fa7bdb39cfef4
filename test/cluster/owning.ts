/**
 * Runs `create` with a stack for what it starts. If it fails, what it had started is ended; else the stack is the
 * caller's, who may go on adding to it.
 */
export async function owning<T>(create: (resources: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const resources = new AsyncDisposableStack();
  try {
    return await create(resources);
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}
