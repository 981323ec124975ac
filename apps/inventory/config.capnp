# Runs the inventory as a worker on this machine: mkdir -p dist/shop && workerd serve config.capnp

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "inventory", worker = (
      modules = [(name = "worker", esModule = embed "dist/worker.mjs")],
      compatibilityDate = "2026-01-01",
      compatibilityFlags = ["enable_request_signal"],
      bindings = [
        (name = "HOST", text = "127.0.0.1"),
        (name = "SHOP", durableObjectNamespace = "Shop"),
      ],
      durableObjectNamespaces = [(className = "Shop", uniqueKey = "inventory-shop", enableSql = true)],
      # Durable Objects in memory do not support SQLite.
      durableObjectStorage = (localDisk = "objects"),
    )),
    (name = "objects", disk = (path = "dist/shop", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "inventory")],
);
