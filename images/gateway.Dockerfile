# The context is written by `node images/main.ts context`; the root file system is that of the archives beside it.
FROM scratch
ADD root.tar /
COPY gateway.js /app/gateway.js
ENV PATH=/usr/local/bin:/usr/bin:/bin
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=2097152
ENV MALLOC_TRIM_THRESHOLD_=67108864
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/app/gateway.js"]
