# Two images from one build: `--target cli` runs storectl, `--target service` the store management service.
FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm pack --pack-destination /tmp

FROM node:24-slim AS cli
COPY --from=build /tmp/storectl-*.tgz /tmp/
# /state is for a volume: docker run --volume storectl:/state. It is no VOLUME, because docker run --rm would make one that it
# removes with the container, and the history with it.
RUN npm install --prefix /opt/storectl --ignore-scripts --omit=optional /tmp/storectl-*.tgz && rm /tmp/storectl-*.tgz \
  && touch /opt/storectl/node_modules/storectl/without-engines \
  && mkdir --mode=0700 /state && chown node:node /state
ENV PATH=/opt/storectl/node_modules/.bin:$PATH STORECTL_STATE_DIR=/state
USER node
ENTRYPOINT ["storectl"]

FROM node:24-slim AS service
COPY --from=build /tmp/storectl-*.tgz /tmp/
RUN npm install --prefix /opt/storectl --ignore-scripts /tmp/storectl-*.tgz && rm /tmp/storectl-*.tgz \
  && mkdir /data && chown node:node /data
ENV PATH=/opt/storectl/node_modules/.bin:$PATH
USER node
VOLUME /data
EXPOSE 4010
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.STORECTL_SERVICE_PORT || 4010) + '/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["storectl", "service", "start", "--host", "0.0.0.0"]
CMD ["--database", "/data/store.db"]
