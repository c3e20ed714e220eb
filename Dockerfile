# The service and the command, see docs/container.md.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/console/package.json packages/console/
COPY test/package.json test/
RUN npm ci --include=dev
COPY . .
# The package as users install it, with the versions of the lock file.
RUN npm run pack \
  && mkdir /app && tar -xzf iam-standin-*.tgz -C /app --strip-components=1 \
  && cp package-lock.json .npmrc /app/
WORKDIR /app
RUN npm ci --omit=dev --no-workspaces

FROM node:24-slim
COPY --from=build /app /app
# Writable for any user, because the container can run as any.
RUN ln -s /app/bin/iam.js /usr/local/bin/iam && mkdir -m 1777 /data
ENV NODE_ENV=production \
    HOME=/data \
    IAM_SERVE_HOST=0.0.0.0 \
    IAM_SERVE_ALLOW_REMOTE=true \
    IAM_SERVE_DATA=/data/store
WORKDIR /
VOLUME /data
EXPOSE 8080
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s \
  CMD ["iam", "server", "status", "--ready", "--local", "--quiet"]
ENTRYPOINT ["iam"]
CMD ["serve"]
