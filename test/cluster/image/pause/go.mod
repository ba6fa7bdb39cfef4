module gatehouse.dev/test/cluster/image/pause

go 1.26.0
