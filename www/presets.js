// @ts-check
/**
 * Named situations: each sets every field and says what to look at. Values are exact option texts.
 * The two process sizes and the slot count come from the configuration file Flink is shipped with.
 * @import { Preset } from "./state.js"
 */

const SHIPPED = {
  "jobmanager.memory.process.size": "1600m",
  "taskmanager.memory.process.size": "1728m",
  "taskmanager.numberOfTaskSlots": "1",
};

/** @type {{ memory: Preset[] }} */
export const PRESETS = {
  memory: [
    {
      id: "stock",
      title: "Flink as shipped: 1728m",
      look: "How much of the 1.69 GiB is left for your own objects: task heap is what remains after everything else.",
      role: "taskmanager",
      config: { ...SHIPPED },
      containerLimit: null,
    },
    {
      id: "rocksdb-large",
      title: "Large RocksDB state: 16g, four slots",
      look: "Managed memory is what RocksDB caches and writes into; the split per slot shows what one task's state gets.",
      role: "taskmanager",
      config: {
        ...SHIPPED,
        "taskmanager.memory.process.size": "16g",
        "taskmanager.memory.managed.fraction": "0.6",
        "taskmanager.numberOfTaskSlots": "4",
        "state.backend.type": "rocksdb",
      },
      containerLimit: "16g",
    },
    {
      id: "hashmap-heap",
      title: "State on the heap: no managed memory",
      look: "With the HashMap backend managed memory lies idle. Without it task heap nearly doubles its share.",
      role: "taskmanager",
      config: {
        ...SHIPPED,
        "taskmanager.memory.process.size": "8g",
        "taskmanager.memory.managed.fraction": "0",
        "taskmanager.numberOfTaskSlots": "2",
        "state.backend.type": "hashmap",
      },
      containerLimit: "8g",
    },
    {
      id: "hashmap-near-limit",
      title: "HashMap near its limit: 16g, 100 million keys",
      look: "The state fits, yet the collector is assumed to mark all the time, and a snapshot takes more on top. See which part of a key costs what, and how few keys more fit while a snapshot runs.",
      role: "taskmanager",
      config: {
        ...SHIPPED,
        "taskmanager.memory.process.size": "16g",
        "taskmanager.memory.managed.fraction": "0",
        "taskmanager.numberOfTaskSlots": "4",
        "state.backend.type": "hashmap",
      },
      containerLimit: "16g",
      panel: "heap",
      workload: { keys: "100000000", parallelism: "4" },
    },
    {
      id: "container-too-small",
      title: "Container smaller than the process",
      look: "Flink starts, since it never looks at the container. The kernel ends it once it touches what the limit leaves out.",
      role: "taskmanager",
      config: { ...SHIPPED, "taskmanager.memory.process.size": "4g", "taskmanager.numberOfTaskSlots": "2" },
      containerLimit: "3500m",
    },
    {
      id: "rocksdb-unmanaged",
      title: "Container killed: RocksDB outside managed memory",
      look: "Every state has a block cache and write buffers of its own, in no pool. Nothing stops them at the container’s limit but the kernel.",
      role: "taskmanager",
      config: {
        ...SHIPPED,
        "taskmanager.memory.process.size": "4g",
        "taskmanager.numberOfTaskSlots": "4",
        "state.backend.type": "rocksdb",
        "state.backend.rocksdb.memory.managed": "false",
      },
      containerLimit: "4g",
      panel: "rocksdb",
    },
    {
      id: "network-too-few",
      title: "Insufficient number of network buffers",
      look: "A keyBy at parallelism 200 asks for buffers by the channel. See which task asks for most, and the smallest setting with which the job starts.",
      role: "taskmanager",
      config: {
        ...SHIPPED,
        "taskmanager.memory.process.size": "4g",
        "taskmanager.memory.network.max": "64mb",
        "taskmanager.numberOfTaskSlots": "8",
      },
      containerLimit: "4g",
      panel: "network",
      workload: { parallelism1: "200", parallelism2: "200", parallelism3: "200" },
    },
    {
      id: "metaspace",
      title: "Metaspace: 64m",
      look: "Flink starts with any size of metaspace. Classes live there; once they do not fit, tasks fail with OutOfMemoryError: Metaspace. What it gives up goes to Flink’s pools.",
      role: "taskmanager",
      config: { ...SHIPPED, "taskmanager.memory.jvm-metaspace.size": "64m" },
      containerLimit: null,
    },
    {
      id: "managed-too-high",
      title: "Managed fraction too high",
      look: "0.85 of total Flink memory leaves too little for the framework and the network: which sum Flink refuses, and by how much.",
      role: "taskmanager",
      config: { ...SHIPPED, "taskmanager.memory.managed.fraction": "0.85" },
      containerLimit: null,
    },
    {
      id: "network-remainder",
      title: "Network is the remainder, and too large",
      look: "With total Flink and task heap both set, network memory takes what is left. Here that is more than its maximum.",
      role: "taskmanager",
      config: {
        "jobmanager.memory.process.size": "1600m",
        "taskmanager.memory.flink.size": "4g",
        "taskmanager.memory.task.heap.size": "1g",
        "taskmanager.memory.network.max": "256m",
        "taskmanager.numberOfTaskSlots": "2",
      },
      containerLimit: null,
    },
    {
      id: "tiny",
      title: "Too small to start: 900m",
      look: "The defaults alone need about 982 MiB. See which part does not fit, and the smallest size that does.",
      role: "taskmanager",
      config: { ...SHIPPED, "taskmanager.memory.process.size": "900m" },
      containerLimit: null,
    },
    {
      id: "legacy-heap",
      title: "An old flink-conf: taskmanager.heap.size",
      look: "The start scripts of 1.18 and 1.20 map the old key; 2.2 does not know it. Change the version and see what counts.",
      role: "taskmanager",
      config: {
        "jobmanager.heap.size": "1024m",
        "taskmanager.heap.size": "2048m",
        "taskmanager.network.numberOfBuffers": "4096",
        "taskmanager.numberOfTaskSlots": "2",
      },
      containerLimit: null,
    },
    {
      id: "local-network",
      title: "Flink inside a program: no room for the network",
      look: "A local run divides no total, so 16g has no effect. The network pool comes from direct memory, which ends at -Xmx where nothing else is said: 2g cannot hold 5120m.",
      role: "taskmanager",
      config: {
        "taskmanager.memory.process.size": "16g",
        "taskmanager.memory.network.min": "5120m",
        "taskmanager.memory.network.max": "5120m",
        "taskmanager.numberOfTaskSlots": "2",
      },
      containerLimit: null,
      panel: "local",
    },
    {
      id: "jobmanager-stock",
      title: "The JobManager as shipped: 1600m",
      look: "Off-heap, metaspace and overhead are taken first; the JobManager's heap is the rest.",
      role: "jobmanager",
      config: { ...SHIPPED },
      containerLimit: null,
    },
  ],
};
