module gatehouse.dev/test/cluster/tools/pause

go 1.26.0
