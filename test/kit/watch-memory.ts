/** How far the resident memory of this process grows at most from now on, in bytes. */
export function watchMemory(): { growth(): number } {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  return {
    growth: () => {
      clearInterval(timer);
      return Math.max(most, process.memoryUsage.rss()) - before;
    },
  };
}
